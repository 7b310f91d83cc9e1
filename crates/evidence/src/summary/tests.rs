use proptest::prelude::*;

use super::*;

/// Shown as passed/failed/skipped of total.
fn show(counts: Option<Counts>) -> String {
    counts.map_or("-".into(), |c| format!("{}/{}/{} of {}", c.passed, c.failed, c.skipped, c.total))
}

#[track_caller]
fn check(runner: &str, output: &str, expected: &str) {
    assert_eq!(show(summarise(runner, output)), expected, "{runner}: {output}");
}

/// The same output through a script that starts the runner.
#[track_caller]
fn check_both(runner: &str, output: &str, expected: &str) {
    check(runner, output, expected);
    check("script", output, expected);
}

#[test]
fn cargo() {
    let two = "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.01s\n\n\
        \u{20}  Doc-tests x\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s\n";
    check_both("cargo", two, "3/1/1 of 5");
    check("cargo", "test result: \u{1b}[32mok\u{1b}[0m. 4 passed; 0 failed; 0 ignored", "4/0/0 of 4");
    check(
        "cargo",
        "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out",
        "0/0/0 of 0",
    );
    check("cargo", "error[E0425]: cannot find value", "-");
}

#[test]
fn ones_own_words_for_none() {
    for none in ["0 passed", "ran 0 tests.", "done: 0 checks", "No tests found", "0 passed, 0 failed\nok"] {
        check("", none, "0/0/0 of 0");
        check("script", none, "0/0/0 of 0");
    }
    for other in ["fine", "12 passed", "all good, 0 errors", "3 tests, 0 passed twice", "0 warnings", "took 0 s", ""] {
        check("", other, "-");
    }
}

#[test]
fn nextest() {
    check_both(
        "nextest",
        "     Summary [   0.012s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped\n",
        "4/1/2 of 7",
    );
    check("nextest", "     Summary [   0.012s] 3/9 tests run: 2 passed, 1 timed out, 0 skipped\n", "2/1/0 of 3");
}

#[test]
fn pytest() {
    check_both(
        "pytest",
        "collected 3 items\n\ntests/test_a.py ...   [100%]\n\n====== 3 passed in 0.12s ======\n",
        "3/0/0 of 3",
    );
    check("pytest", "= 1 failed, 2 passed, 1 skipped, 1 xfailed, 2 warnings, 1 error in 12.30s =", "2/2/2 of 6");
    check("pytest", "3 passed in 0.01s", "3/0/0 of 3");
    check("pytest", "1 passed, 3 deselected in 61.10s (0:01:01)", "1/0/0 of 1");
    check("pytest", "======= no tests ran in 0.00s =======", "0/0/0 of 0");
    check("pytest", "we put 3 eggs in 5s", "-");
}

#[test]
fn unittest() {
    let rule = "-".repeat(70);
    check_both("unittest", &format!("...\n{rule}\nRan 3 tests in 0.001s\n\nOK\n"), "3/0/0 of 3");
    check(
        "unittest",
        &format!("{rule}\nRan 5 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)"),
        "1/3/1 of 5",
    );
    check("unittest", &format!("{rule}\nRan 5 tests in 0.1s\n\nOK (skipped=2, expected failures=1)"), "2/0/3 of 5");
    check("unittest", &format!("{rule}\nRan 0 tests in 0.000s\n\nNO TESTS RAN"), "0/0/0 of 0");
    check("unittest", &format!("{rule}\nRan 1 test in 0.000s\n\nkilled"), "0/1/0 of 1");
}

#[test]
fn javascript() {
    let jest = "Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\nSnapshots:   0 total\nTime:        1.2 s\n";
    check_both("jest", jest, "3/1/2 of 6");
    check("jest", "Test Suites: 1 failed, 1 total\nTests:       0 total", "0/1/0 of 0");
    check("jest", "No tests found, exiting with code 1", "0/0/0 of 0");
    let vitest = " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed | 2 skipped (6)\n   Start at  10:00:00\n";
    check_both("vitest", vitest, "3/1/2 of 6");
    check("vitest", "No test files found, exiting with code 1", "0/0/0 of 0");
    check_both("mocha", "\n  5 passing (12ms)\n  2 pending\n  1 failing\n\n  1) fails\n", "5/1/2 of 8");
    check_both(
        "node-test",
        "# tests 5\n# suites 0\n# pass 3\n# fail 1\n# cancelled 0\n# skipped 1\n# todo 0\n",
        "3/1/1 of 5",
    );
    check("node-test", "ℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n", "2/0/0 of 2");
    check_both(
        "bun",
        " 5 pass\n 1 skip\n 1 fail\n 10 expect() calls\nRan 7 tests across 1 files. [12.00ms]\n",
        "5/1/1 of 7",
    );
    check_both("deno", "ok | 5 passed (2 steps) | 0 failed | 1 ignored (12ms)\n", "5/0/1 of 6");
    check("deno", "FAILED | 4 passed | 1 failed (12ms)\n", "4/1/0 of 5");
}

#[test]
fn go() {
    check_both(
        "go",
        "ok  \texample.com/a\t0.012s\n?   \texample.com/b\t[no test files]\nFAIL\texample.com/c\t0.1s\nFAIL\n",
        "1/1/0 of 2",
    );
    check(
        "go",
        "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tx\t0.1s\n",
        "1/0/1 of 2",
    );
    check("go", "ok  \tx\t0.1s [no tests to run]\n", "0/0/0 of 0");
    check("go", "ok  \tx\t(cached)\n", "1/0/0 of 1");
    check("go", "FAIL\tx [build failed]\n", "0/1/0 of 1");
    let json = "{\"Action\":\"run\",\"Package\":\"x\",\"Test\":\"TestA\"}\n{\"Action\":\"pass\",\"Package\":\"x\",\"Test\":\"TestA\",\"Elapsed\":0}\n\
        {\"Action\":\"fail\",\"Package\":\"x\",\"Test\":\"TestB\"}\n{\"Action\":\"fail\",\"Package\":\"x\"}\n";
    check_both("go", json, "1/1/0 of 2");
    check("go", "{\"Action\":\"pass\",\"Package\":\"x\"}\n", "0/0/0 of 0");
}

#[test]
fn compiled() {
    check_both(
        "ctest",
        "100% tests passed, 0 tests failed out of 5\n\nTotal Test time (real) = 0.01 sec\n",
        "5/0/0 of 5",
    );
    check("ctest", "60% tests passed, 2 tests failed out of 5\n", "3/2/0 of 5");
    check("ctest", "No tests were found!!!\n", "0/0/0 of 0");
    let swift = "Test Suite 'A' passed\n\t Executed 2 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds\n\
        Test Suite 'All tests' failed\n\t Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.1) seconds\n";
    check_both("swift", swift, "3/1/1 of 5");
    check("swift", "✔ Test run with 5 tests in 2 suites passed after 0.01 seconds.", "5/0/0 of 5");
    check("swift", "✘ Test run with 5 tests in 2 suites failed after 0.01 seconds with 1 issue.", "4/1/0 of 5");
}

#[test]
fn virtual_machines() {
    let maven = "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.ATest\n\
        [INFO] Results:\n[INFO] \n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n";
    check_both("maven", maven, "2/2/1 of 5");
    check("maven", "[INFO] No tests to run.", "0/0/0 of 0");
    check_both("gradle", "5 tests completed, 1 failed, 1 skipped\n\nBUILD FAILED in 3s\n", "3/1/1 of 5");
    check("gradle", "LoginTest > works PASSED\nLoginTest > fails FAILED\n", "1/1/0 of 2");
    check("gradle", "> Task :test NO-SOURCE\nBUILD SUCCESSFUL in 1s", "0/0/0 of 0");
    check("gradle", "> Task :test\nBUILD SUCCESSFUL in 1s", "-");
    check_both(
        "dotnet",
        "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 12 ms - X.dll (net8.0)\n",
        "5/0/1 of 6",
    );
    check("dotnet", "Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.2s\n", "4/1/0 of 5");
    check("dotnet", "Total tests: 5\n     Passed: 4\n     Failed: 1\n Total time: 1.2 Seconds\n", "4/1/0 of 5");
}

#[test]
fn other_scripts() {
    check_both("rspec", "Finished in 0.1 seconds\n5 examples, 1 failure, 1 pending\n", "3/1/1 of 5");
    check("rspec", "0 examples, 0 failures, 1 error occurred outside of examples\n", "0/1/0 of 0");
    check_both("minitest", "5 runs, 10 assertions, 1 failures, 0 errors, 1 skips\n", "3/1/1 of 5");
    check_both("phpunit", "OK (5 tests, 10 assertions)\n", "5/0/0 of 5");
    check("phpunit", "FAILURES!\nTests: 5, Assertions: 10, Failures: 1, Errors: 1, Skipped: 1.\n", "2/2/1 of 5");
    check("phpunit", "  Tests:    1 failed, 3 passed (7 assertions)\n", "3/1/0 of 4");
    check("phpunit", "No tests executed!\n", "0/0/0 of 0");
    check_both("mix", "..\nFinished in 0.1 seconds\n3 doctests, 5 tests, 1 failure, 1 skipped\n", "6/1/1 of 8");
}

#[test]
fn words_are_no_summary() {
    for text in
        ["", "all tests passed", "5 passed", "ok", "Done in 3s", "12 files changed, 3 insertions(+)", "npm test"]
    {
        check("script", text, "-");
    }
}

#[test]
fn a_script_may_start_two_runners() {
    check("make", "test result: ok. 2 passed; 0 failed; 0 ignored;\n== 3 passed in 0.1s ==\n", "5/0/0 of 5");
}

proptest! {
    #[test]
    fn any_output_is_read(text in "[ -~\n\t✔ℹ]{0,300}") {
        for (runner, _) in READERS {
            let _ = summarise(runner, &text);
        }
    }

    #[test]
    fn numbers_do_not_overflow(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
        for text in [
            format!("test result: ok. {a} passed; {b} failed; {c} ignored;"),
            format!("{a} examples, {b} failures, {c} pending"),
            format!("Tests run: {a}, Failures: {b}, Errors: {c}, Skipped: {a}"),
            format!("Ran {a} tests in 1s\n\nFAILED (failures={b}, errors={c})"),
            format!("Executed {a} tests, with {b} failures"),
            format!("Tests: {a}, Assertions: 1, Failures: {b}, Errors: {c}."),
            format!("# pass {a}\n# fail {b}\n# cancelled {c}"),
            format!("{a}% tests passed, {b} tests failed out of {c}"),
            format!("{a} tests completed, {b} failed, {c} skipped"),
        ] {
            let _ = summarise("script", &text);
        }
    }
}
