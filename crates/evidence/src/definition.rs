//! Which files tell a test runner what to run.

/// What a runner reads besides the tests.
pub(crate) struct Definition {
    /// The programs, and the names that runners have in records.
    pub(crate) programs: &'static [&'static str],
    /// Files in the folder of the run and in those above it, up to the root. One `*` stands for any text.
    pub(crate) files: &'static [&'static str],
    /// Files that it also reads in any folder below.
    pub(crate) below: &'static [&'static str],
    /// Flags whose value is another such file.
    pub(crate) flags: &'static [&'static str],
    /// Flags whose value is the folder to start in.
    pub(crate) folders: &'static [&'static str],
}

/// Programs that run the file that they are given.
pub(crate) const INTERPRETERS: &[&str] = &[
    "bash", "bats", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "pwsh", "py", "python",
    "Rscript", "ruby", "sh", "ts-node", "tsx", "zsh",
];

/// The rows that apply to a program, by its name or by the runner that it was recognised as.
pub(crate) fn definitions(program: &str, runner: &str) -> impl Iterator<Item = &'static Definition> {
    let names = [program.to_owned(), runner.to_owned()];
    DEFINITIONS.iter().filter(move |row| names.iter().any(|name| row.programs.contains(&name.as_str())))
}

/// The names of all programs and runners in the table.
#[cfg(test)]
pub(crate) fn rows() -> &'static [Definition] {
    DEFINITIONS
}

macro_rules! rows {
    ($([$($program:literal)+] $([$($file:literal)+])? $(below [$($below:literal)+])? $(flags [$($flag:literal)+])?
        $(folders [$($folder:literal)+])?;)+) => {
        &[$(Definition {
            programs: &[$($program),+],
            files: &[$($($file),+)?],
            below: &[$($($below),+)?],
            flags: &[$($($flag),+)?],
            folders: &[$($($folder),+)?],
        }),+]
    };
}

const DEFINITIONS: &[Definition] = rows! {
    ["make" "gmake"] ["GNUmakefile" "makefile" "Makefile"]
        flags ["-f" "--file" "--makefile"] folders ["-C" "--directory"];
    ["just"] ["justfile" "Justfile" ".justfile"] flags ["-f" "--justfile"] folders ["-d" "--working-directory"];
    ["task"] ["Taskfile.yml" "Taskfile.yaml" "taskfile.yml" "taskfile.yaml" "Taskfile.dist.yml" "Taskfile.dist.yaml"]
        flags ["-t" "--taskfile"] folders ["-d" "--dir"];
    ["rake"] ["Rakefile" "rakefile" "Rakefile.rb" "rakefile.rb"] flags ["-f" "--rakefile"];
    ["ninja"] ["build.ninja"] flags ["-f"] folders ["-C"];
    ["npm" "pnpm" "yarn" "bun" "script"] ["package.json" ".npmrc" ".yarnrc.yml" "bunfig.toml"]
        folders ["--prefix" "-C" "--dir" "--cwd"];
    ["composer"] ["composer.json"] folders ["-d" "--working-dir"];
    ["pytest" "py.test" "pytest3"]
        ["pytest.ini" ".pytest.ini" "pytest.toml" ".pytest.toml" "pyproject.toml" "tox.ini" "setup.cfg" "conftest.py"]
        below ["conftest.py"] flags ["-c" "--config-file"] folders ["--rootdir"];
    ["unittest"] ["pyproject.toml" "setup.cfg" "manage.py"] folders ["-t" "-s"];
    ["tox" "nox" "python-session"] ["tox.ini" "tox.toml" "noxfile.py" "pyproject.toml" "setup.cfg"]
        flags ["-c" "--conf" "-f" "--noxfile"];
    ["coverage"] [".coveragerc" "pyproject.toml" "setup.cfg" "tox.ini"] flags ["--rcfile"];
    ["behave"] ["behave.ini" ".behaverc" "setup.cfg" "tox.ini" "pyproject.toml" "features/environment.py"];
    ["cargo" "nextest" "cargo-nextest"]
        ["Cargo.toml" ".cargo/config.toml" ".cargo/config" ".config/nextest.toml" "build.rs" "rust-toolchain.toml"]
        below ["Cargo.toml"] flags ["--manifest-path" "--config-file" "--config"] folders ["-C"];
    ["go" "gotestsum"] ["go.mod" "go.work"] flags ["-modfile"] folders ["-C"];
    ["gradle" "gradlew" "gradlew.bat"]
        ["build.gradle" "build.gradle.kts" "settings.gradle" "settings.gradle.kts" "gradle.properties"]
        below ["build.gradle" "build.gradle.kts"] flags ["-b" "--build-file" "-c" "--settings-file" "-I" "--init-script"]
        folders ["-p" "--project-dir"];
    ["mvn" "mvnw" "mvn.cmd" "maven"] ["pom.xml" ".mvn/maven.config" ".mvn/jvm.config" ".mvn/extensions.xml"]
        below ["pom.xml"] flags ["-f" "--file" "-s" "--settings"];
    ["jest" "react-scripts"] ["jest.config.*" "package.json" "babel.config.*" ".babelrc"]
        flags ["-c" "--config"] folders ["--rootDir"];
    ["vitest"] ["vitest.config.*" "vite.config.*" "vitest.workspace.*" "package.json"]
        flags ["-c" "--config" "--workspace"] folders ["--root" "--dir"];
    ["playwright"] ["playwright.config.*" "package.json"] flags ["-c" "--config"];
    ["cypress"] ["cypress.config.*" "cypress.json" "package.json"] flags ["-C" "--config-file"]
        folders ["-P" "--project"];
    ["mocha" "_mocha" "ts-mocha"] [".mocharc.*" ".mocharc" "package.json" "test/mocha.opts"]
        flags ["--config" "-r" "--require" "--opts"];
    ["ava"] ["ava.config.*" "package.json"] flags ["--config"];
    ["jasmine"] ["spec/support/jasmine.*" "jasmine.json" "package.json"] flags ["--config"];
    ["karma"] ["karma.conf.*" "package.json"];
    ["ng"] ["angular.json" "karma.conf.*" "package.json"];
    ["nx"] ["nx.json" "project.json" "package.json"];
    ["hardhat"] ["hardhat.config.*" "package.json"] flags ["--config"];
    ["qunit" "tap" "uvu"] ["package.json" ".taprc"];
    ["web-test-runner" "wtr"] ["web-test-runner.config.*" "package.json"] flags ["--config"];
    ["node-test"] ["package.json"] flags ["-r" "--require" "--import"];
    ["deno"] ["deno.json" "deno.jsonc" "package.json"] flags ["-c" "--config"];
    ["phpunit" "pest" "paratest"] ["phpunit.xml" "phpunit.xml.dist" "phpunit.dist.xml" "composer.json" "tests/Pest.php"]
        flags ["-c" "--configuration" "--bootstrap"];
    ["rspec"] [".rspec" ".rspec-local" "spec/spec_helper.rb" "spec/rails_helper.rb"] flags ["-O" "--options" "-r" "--require"];
    ["minitest" "rails"] ["Rakefile" "test/test_helper.rb" "config/application.rb"];
    ["cucumber"] ["cucumber.yml" "cucumber.yaml" "config/cucumber.yml" "cucumber.js" "cucumber.json" "package.json"]
        flags ["-c" "--config"];
    ["ctest"] ["CTestConfig.cmake" "CTestTestfile.cmake" "CMakeLists.txt" "CMakePresets.json"] folders ["--test-dir"];
    ["meson"] ["meson.build"] below ["meson.build"] folders ["-C"];
    ["bazel" "bazelisk"] ["WORKSPACE" "WORKSPACE.bazel" "MODULE.bazel" "BUILD" "BUILD.bazel" ".bazelrc"]
        flags ["--bazelrc"];
    ["dotnet"]
        ["*.csproj" "*.fsproj" "*.vbproj" "*.sln" "*.slnx" "*.runsettings" "Directory.Build.props"
            "Directory.Build.targets" "global.json"]
        flags ["-s" "--settings"];
    ["swift"] ["Package.swift"] folders ["--package-path"];
    ["mix"] ["mix.exs" "test/test_helper.exs" "config/test.exs"];
    ["bats"] ["setup_suite.bash" "test/setup_suite.bash"];
    ["busted"] [".busted"] flags ["-f" "--config-file"];
    ["cabal"] ["*.cabal" "cabal.project"] flags ["--project-file"];
    ["stack"] ["stack.yaml" "package.yaml" "*.cabal"] flags ["--stack-yaml"];
    ["crystal"] ["shard.yml" "spec/spec_helper.cr"];
    ["dart" "flutter"] ["pubspec.yaml" "dart_test.yaml"] flags ["--configuration"];
    ["dune"] ["dune-project" "dune" "dune-workspace"] below ["dune"] folders ["--root"];
    ["forge"] ["foundry.toml"] flags ["--config-path"] folders ["--root"];
    ["lein"] ["project.clj" "profiles.clj"];
    ["sbt"] ["build.sbt" "project/build.properties" "project/plugins.sbt"];
    ["zig"] ["build.zig" "build.zig.zon"] flags ["--build-file"];
};
