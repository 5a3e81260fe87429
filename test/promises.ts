/**
 * The register of promises that were broken once, or that users were missing: the planted fault in `test/mutants/` that
 * has a promise's id names the test that holds it. No repair goes unnoticed when code is cut. An id is never used for
 * another promise.
 */
export const PROMISES: Readonly<Record<string, string>> = {
  'FIELD-2':
    'A stop word unsubscribes however it is spelt, in every situation and from the commit that reads it, and nothing else does.',
  'FIELD-3':
    'Words match as people type them, unless they are exact; in a burst a choice takes the last message that fits.',
  'FIELD-5': 'A number may be pasted, and what is wrong with it is shown by its code points.',
  'FIELD-8':
    'A text, title or caption that nobody can see is refused like a blank one, and so are two buttons of one title.',
  'FIELD-9':
    'A template parameter that would be refused, or does not fit, is an error that names it before anything is sent.',
  'FIELD-14': 'The error of the test kit for a customer with a hidden number names that cause.',
  'CAMPAIGN-1': 'Whether an error concerns one recipient or all is learnt: nobody fails by an error that concerns all.',
  'CAMPAIGN-2':
    'Each recipient has a result: waiting, sent, delivered, read, failed, skipped or unknown, with reason and time.',
  'CAMPAIGN-3': 'A campaign can be finished under its key, and a customer who has the message never gets it twice.',
  'CAMPAIGN-4': 'Messages go out in the hours of each recipient’s zone alone.',
  'CAMPAIGN-5': 'Lists are rows as people have them, and bad rows are found before anything goes out.',
  'CAMPAIGN-6': 'The command line shows, pauses, resumes, cancels, retries and exports announcements.',
  'LOST-5': 'A start whose retention differs from that of the last pruning prunes at once.',
  'GUARD-14': 'The size of the write-ahead log is a gauge, and its growth an alarm that names the reason.',
  'GUARD-16':
    'Damage of an SQLite file is found at a start, by backup and by doctor. The first sign of it ends storing, with an alarm.',
  'GUARD-18': 'A send begins only into a database file that is still there, as a delivery does.',
  'LOST-12': 'A database whose tables another unreleased build made is refused in words, and nothing in it changes.',
  'LOST-4':
    'After a failover no connection to the old PostgreSQL server is used again, and no delivery is refused for it.',
  'LOST-8-RELEASE':
    'What a commit has begun for a caller who was refused is released, or compared with what runs if the database refuses that.',
  'LOST-10':
    'What must land lands, however often a PostgreSQL server ends its statement; only values that are refused for themselves end as a dead letter.',
  'GUARD-1': 'No notification of another role of a PostgreSQL database, or of a newer release, ends a process.',
  'GUARD-2':
    'Only a role with rights to the bot’s tables can hold the lock of the writers, a start proves that it excludes, and no other lock is used beside it.',
  'GUARD-11':
    'The schema and its tables belong to the bot, to those who rule the database, or to a role that the app trusts by name.',
  'GUARD-13':
    'What looks like the address of a server and is none is refused without its value, and never becomes a file.',
}

/** Promises about files that no module loads, such as a recipe: the test file that holds them, and its title. */
export const WITHOUT_FAULT: Readonly<Record<string, readonly [file: string, title: string]>> = {}
