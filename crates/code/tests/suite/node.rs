use stead_code::{Budget, Language, Node, nodes};

fn read(language: &str, text: &str) -> Vec<Node> {
    let language = Language::from_name(language).expect("a known language");
    nodes(language, text, &Budget::default()).expect("within the budget")
}

#[track_caller]
fn names(language: &str, text: &str, expected: &[&str]) {
    let found: Vec<_> = read(language, text)
        .iter()
        .map(|node| format!("{} {} {}-{}", node.kind, node.name, node.start, node.end))
        .collect();
    assert_eq!(found, expected, "{language}");
}

#[test]
fn items_have_names_and_lines() {
    names(
        "rust",
        "use a::b;\n\n#[derive(Debug)]\npub struct S {\n    x: u8,\n}\n\nimpl<T> Trait for S {\n    fn go(&self) {}\n}\n\nmod m {\n    const A: u8 = 1;\n    pub fn f() {\n        fn inner() {}\n    }\n}\n",
        &[
            "struct S 3-6", "impl S 8-10", "method S::go 9-9", "module m 12-17", "const m::A 13-13",
            "function m::f 14-16",
        ],
    );
    names(
        "python",
        "import os\n\n@dec\ndef f(a):\n    return a\n\nclass C(B):\n    x = 1\n\n    @property\n    def m(self):\n        pass\n\nprint(1)\n",
        &["function f 3-5", "class C 7-12", "method C::m 10-12", "statement  14-14"],
    );
    names(
        "typescript",
        "import x from 'y';\nexport const f = (a: number) => a;\nexport default class C {\n  private n = 1;\n  m(): void {}\n}\ninterface I { a: string }\nenum E { A }\nconst LIMIT = 3;\nrun();\n",
        &[
            "function f 2-2", "class C 3-6", "method C::m 5-5", "interface I 7-7", "enum E 8-8", "const LIMIT 9-9",
            "statement  10-10",
        ],
    );
    names(
        "go",
        "package p\n\nimport \"fmt\"\n\ntype S struct{ a int }\n\nfunc (s *S) Go(x int) int {\n\treturn x\n}\n\nfunc f() { fmt.Println() }\n\nconst A = 1\n\nvar b = 2\n",
        &["type S 5-5", "method S::Go 7-9", "function f 11-11", "const A 13-13", "variable b 15-15"],
    );
    names(
        "java",
        "package p;\nimport a.B;\npublic class C {\n  private int n = 0;\n  C() {}\n  @Override\n  public int go(int x) { return x; }\n  enum K { A, B }\n}\n",
        &["class C 3-9", "field C::n 4-4", "constructor C::C 5-5", "method C::go 6-7", "enum C::K 8-8"],
    );
    names(
        "c",
        "#include <stdio.h>\n#define N 3\nstruct s { int a; };\nstatic int *f(int a)\n{\n    return 0;\n}\nint g = 1;\ntypedef int T;\n",
        &["macro N 2-2", "struct s 3-3", "function f 4-7", "variable g 8-8", "type T 9-9"],
    );
    names(
        "cpp",
        "namespace n {\ntemplate <class T>\nclass A {\n public:\n  int get() const { return x; }\n  int x;\n};\n}\nvoid A::go(int a) {}\n",
        &["namespace n 1-8", "class n::A 2-7", "method n::A::get 5-5", "function A::go 9-9"],
    );
    names(
        "csharp",
        "using System;\nnamespace N {\n  class C {\n    int x = 1;\n    public int P { get; set; }\n    int Go(int a) => a;\n  }\n}\n",
        &["namespace N 2-8", "class N::C 3-7", "field N::C::x 4-4", "property N::C::P 5-5", "method N::C::Go 6-6"],
    );
    names(
        "ruby",
        "require 'a'\nmodule M\n  class C\n    attr_reader :a\n    def go(x)\n      x\n    end\n    def self.make; end\n  end\nend\n",
        &["statement  1-1", "module M 2-10", "class M::C 3-9", "method M::C::go 5-7", "method M::C::make 8-8"],
    );
    names(
        "php",
        "<?php\nnamespace A;\nuse B\\C;\nfunction f($a) { return $a; }\nclass K {\n  const X = 1;\n  public function m(): int { return 1; }\n}\n",
        &["namespace A 2-2", "function f 4-4", "class K 5-8", "const K::X 6-6", "method K::m 7-7"],
    );
    names(
        "bash",
        "#!/bin/sh\nset -e\ngo() {\n  echo \"$1\"\n}\ngo a\n",
        &["statement  2-2", "function go 3-5", "statement  6-6"],
    );
}

/// The normalised hash of the first item that has a name.
fn normal(language: &str, text: &str) -> String {
    let nodes = read(language, text);
    let node = nodes.iter().find(|node| !node.name.is_empty()).expect("an item");
    node.normal.expect("it parses").to_string()
}

#[track_caller]
fn same(language: &str, one: &str, other: &str) {
    assert_eq!(normal(language, one), normal(language, other), "{language}\n{one}\n{other}");
}

#[track_caller]
fn differs(language: &str, one: &str, other: &str) {
    assert_ne!(normal(language, one), normal(language, other), "{language}\n{one}\n{other}");
}

#[test]
fn what_does_not_count_is_ignored() {
    same(
        "rust",
        "fn f(a: u8) -> u8 { let b = (a + 1); b }",
        "fn f(x: u8,) -> u8 {\n  // why\n  let y = x + 1;\n  y\n}",
    );
    same("rust", "fn f(a: T) { g(|x| x + a, S { a }) }", "fn f(b: T) { g(|y| y + b, S { a: b }) }");
    same("rust", "fn f(a: u8) { println!(\"{a} {}\", a); }", "fn f(b: u8) { println!(\"{b} {}\", b); }");
    same("rust", "fn f() { match x { A => { b } C { d } => d } }", "fn f() { match x { A => b, C { d: e } => e } }");
    same("python", "def f(a, b=1):\n    return a + b", "def f(x, y=1):\n    '''Adds.'''\n    return (x + y)");
    same("python", "def f():\n    return g('a', \"it's\",)", "def f():\n    return g(\"a\", 'it\\'s')");
    same(
        "python",
        "def f(a):\n    for b, c in a: yield [d for d in b]",
        "def f(z):\n    for (y, x) in z: yield [w for w in y]",
    );
    same(
        "javascript",
        "function f(a) { if (a) return 'x'; return {a} }",
        "function f(b) {\n if (b) { return \"x\" }\n return {a: b}; }",
    );
    same("javascript", "const f = x => x + 1", "const f = (y) => { return y + 1; };");
    same(
        "typescript",
        "function f({a, b}: T): number { return a + b }",
        "function f({a: c, b: d}: T): number { return c + d }",
    );
    same("go", "func f(a int) int { b := a; return b }", "func f(x int) int {\n\ty := x\n\treturn y\n}");
    same(
        "java",
        "class C { int f(int a) { if (a > 1) return a; return this.a; } }",
        "class C { int f(int b) { if (b > 1) { return b; } return this.a; } }",
    );
    same(
        "c",
        "int f(int a) { for (int i = 0; i < a; i++) g(i); return (a); }",
        "int f(int n) { for (int k = 0; k < n; k++) { g(k); } return n; }",
    );
    same(
        "cpp",
        "int f(int a) { auto g = [a](int b) { return a + b; }; return g(1); }",
        "int f(int c) { auto h = [c](int d) { return c + d; }; return h(1); }",
    );
    same(
        "csharp",
        "class C { int F(int a) { var b = a; return b; } }",
        "class C { int F(int x) { var y = x; return y; } }",
    );
    same(
        "ruby",
        "def f(a)\n  b = a\n  b.each { |c| puts \"#{c}\" }\nend",
        "def f(x)\n  y = x\n  y.each { |z| puts(\"#{z}\") }\nend",
    );
    same(
        "php",
        "<?php function f($a) { $b = $a; return \"x\" . $b; }",
        "<?php function f($x) { $y = $x; return 'x' . $y; }",
    );
    same("bash", "f() {\n  local a=1\n  echo \"$a\" 'x'\n}", "f() {\n  local b=1 # b\n  echo \"$b\" \"x\"\n}");
}

#[test]
fn what_counts_is_kept() {
    differs("rust", "fn f(a: u8) -> u8 { a + 1 }", "fn f(a: u8) -> u8 { a + 2 }");
    differs("rust", "fn f(a: u8, b: u8) -> u8 { a - b }", "fn f(a: u8, b: u8) -> u8 { b - a }");
    differs("rust", "fn f() { g(x); let x = 1; }", "fn f() { g(y); let y = 1; }");
    differs("rust", "fn f() { [0; 3] }", "fn f() { [0, 3] }");
    differs("rust", "fn f() { (a.b)(c) }", "fn f() { a.b(c) }");
    differs("rust", "fn f() { (a,) }", "fn f() { (a) }");
    differs("rust", "fn f(a: u8) -> u8 { a.b }", "fn f(a: u8) -> u8 { a.c }");
    differs("rust", "fn f() { g() }", "fn f() { g(); }");
    differs("python", "def f(a): return a", "def f(a, *, b=1): return a");
    differs("python", "def f(*, a): return a", "def f(*, b): return b");
    differs("python", "def f(a):\n    global x\n    x = a", "def f(a):\n    global y\n    y = a");
    differs("python", "def f(a): return g(a=a)", "def f(b): return g(b=b)");
    differs("python", "def f(): return a[1:]", "def f(): return a[:1]");
    differs("python", "def f(): return a[1,]", "def f(): return a[1]");
    differs("python", "def f(a): return eval('a')", "def f(b): return eval('a')");
    differs("javascript", "function f() { return (a?.b).c }", "function f() { return a?.b.c }");
    differs("javascript", "function f() { return [a,,b] }", "function f() { return [a,b] }");
    differs("javascript", "function f() { for (;a;) {} }", "function f() { for (a;;) {} }");
    differs("javascript", "function f({a}) { return a }", "function f({b}) { return b }");
    differs("javascript", "function f() { return `${a} ${b}` }", "function f() { return `${a}${b}` }");
    differs("go", "func f(a int) T { return T{a: a} }", "func f(b int) T { return T{b: b} }");
    differs("java", "class C { int f(int a) { return this.a; } }", "class C { int f(int b) { return this.b; } }");
    differs(
        "csharp",
        "class C { T F(int a) { return new T { a = a }; } }",
        "class C { T F(int b) { return new T { b = b }; } }",
    );
    differs(
        "php",
        "<?php class C { function __construct(private $a, private $b) { f($a); } }",
        "<?php class C { function __construct(private $a, private $b) { f($b); } }",
    );
    differs("bash", "f() {\n  echo \"$a $b\"\n}", "f() {\n  echo \"$a$b\"\n}");
    differs("bash", "f() {\n  a=1\n}", "f() {\n  b=1\n}");
    differs("ruby", "def f(a:)\n  a\nend", "def f(b:)\n  b\nend");
    differs("c", "int f() { return a->b; }", "int f() { return a.b; }");
}

#[test]
fn an_item_with_an_error_has_no_normal_hash() {
    let nodes = read("rust", "fn good() {}\nfn bad() { let = ; }\nfn fine() {}\n");
    let normal: Vec<_> = nodes.iter().map(|node| (node.name.as_str(), node.normal.is_some())).collect();
    assert_eq!(normal, [("good", true), ("bad", false), ("fine", true)]);
}
