/**
 * The register of promises that were broken once, or that users were missing: the planted fault in `test/mutants/` that
 * has a promise's id names the test that holds it. No repair goes unnoticed when code is cut. An id is never used for
 * another promise.
 */
export const PROMISES: Readonly<Record<string, string>> = {
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
