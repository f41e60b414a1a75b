#!/usr/bin/perl
# Runs a daemon for a test and becomes the parent of whatever it leaves behind, so that nothing stays a zombie where
# PID 1 does not reap, and nothing outlives the test.
#   reaper.pl DIRECTORY UID GID COMMAND ARGUMENT…
# Each line "start" on stdin starts the command; "started PID" and "exited PID STATUS" come back on stdout.
# When stdin ends, as it does when the test dies, all descendants are killed and the directory is removed.
use strict;
use warnings;
use POSIX qw(:sys_wait_h setgid setuid);

my ($directory, $uid, $gid, @command) = @ARGV;
$| = 1;
syscall(157, 36, 1, 0, 0, 0) == 0 or die "PR_SET_CHILD_SUBREAPER: $!\n";    # prctl(2) on x86-64

sub start {
    my $pid = fork() // die "fork: $!\n";
    if ($pid == 0) {
        $SIG{INT} = $SIG{TERM} = $SIG{PIPE} = 'DEFAULT';
        $) = "$gid $gid"; $( = $gid; $> = 0; $< = $uid; $> = $uid;
        POSIX::setgid($gid); POSIX::setuid($uid);
        open(STDIN, '<', '/dev/null');
        open(STDOUT, '>&', \*STDERR);
        exec(@command) or die "$command[0]: $!\n";
    }
    print "started $pid\n";
}

sub reap {
    while ((my $pid = waitpid(-1, WNOHANG)) > 0) { print "exited $pid $?\n"; }
}

sub children {
    my @found;
    for my $stat (glob '/proc/[0-9]*/stat') {
        open(my $file, '<', $stat) or next;
        my $line = <$file> // next;
        push @found, $1 if $line =~ /^(\d+) \(.*\) (\S) (\d+) / && $3 == $$ && $2 ne 'Z';
    }
    return @found;
}

$SIG{INT} = $SIG{TERM} = $SIG{PIPE} = 'IGNORE';
my $pending = '';
while (1) {
    my $ready = '';
    vec($ready, 0, 1) = 1;
    if (select($ready, undef, undef, 0.05) > 0) {
        last unless sysread(STDIN, $pending, 4096, length $pending);
        start() while $pending =~ s/^start\n//;
    }
    reap();
}
# Killing a child makes its children ours: again until there are none.
while (my @left = children()) { kill 'KILL', @left; select(undef, undef, undef, 0.01); reap(); }
reap();

# A test may have mounted something there.
open(my $mounts, '<', '/proc/self/mounts') or die "mounts: $!\n";
for (<$mounts>) {
    my (undef, $where) = split ' ';
    system('umount', $where) if index($where, "$directory/") == 0;
}
system('rm', '-rf', '--one-file-system', $directory);
