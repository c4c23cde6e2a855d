/* Tests of how a program ends that cannot go on: a sentence on standard error, an exit status, and
 * what it printed before. */
#include <sys/wait.h>
#include <unistd.h>

#include "lib/die.h"
#include "lib/memory.h"
#include "unit.h"

/* The status with which a process ends that calls end(); what it wrote to standard output and error
 * goes to text. */
static int ends(void (*end)(void), char *text, size_t size) {
    int way[2], status;
    assert_int_equal(pipe(way), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(way[1], STDOUT_FILENO);
        dup2(way[1], STDERR_FILENO);
        end();
        _exit(0);
    }
    close(way[1]);
    size_t used = 0;
    for (ssize_t got = 1; got > 0; used += (size_t)got) {
        got = read(way[0], text + used, size - 1 - used);
        assert_true(got >= 0);
    }
    text[used] = '\0';
    close(way[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void die_after_printing(void) {
    printf("before ");
    die(7, "no file %s in %d folders", "x", 3);
}

static void die_as_another(void) {
    die_name = "simt";
    die(1, "cannot go on");
}

static void die_in_a_file(void) {
    die_at(2, "some.tsv", 12, "bad %s", "number");
}

static void lack_memory(void) {
    need(NULL);
}

TEST(prints_its_name_and_the_sentence) {
    char text[256];
    assert_int_equal(ends(die_after_printing, text, sizeof text), 7);
    assert_string_equal(text, "before test_die: no file x in 3 folders\n");
    assert_int_equal(ends(die_as_another, text, sizeof text), 1);
    assert_string_equal(text, "simt: cannot go on\n");
    assert_int_equal(ends(die_in_a_file, text, sizeof text), 2);
    assert_string_equal(text, "some.tsv:12: bad number\n");
}

TEST(ends_without_memory) {
    char text[256];
    assert_int_equal(ends(lack_memory, text, sizeof text), OUT_OF_MEMORY);
    assert_string_equal(text, "test_die: out of memory\n");
}

TEST(hands_on_what_is_there) {
    int number;
    assert_ptr_equal(need(&number), &number);
    char *text = need_text("%s-%d", "a", 7);
    assert_string_equal(text, "a-7");
    free(text);
}
