import { FIRST_SCHEMA } from './first-schema.ts'

/** A step from one schema to the next: its SQL if it only adds; one that rewrites or copies a table's rows names it. */
export type Migration = string | { readonly sql: string; readonly rewrites: string }

/**
 * Migrations, oldest first, append-only; within a major version they only add. Times are milliseconds of wall
 * time unless a column says otherwise; `at`, `last_at` are service time.
 */
export const MIGRATIONS: readonly Migration[] = [
  FIRST_SCHEMA,
  `
  -- The last error of an item's handlers as JSON, without its message, which is the reason.
  ALTER TABLE items ADD COLUMN failure TEXT;
  -- The id of the delivery whose handler sends it.
  ALTER TABLE sends ADD COLUMN delivery TEXT;
  `,
  `
  -- Wall time until which the caller of a send may wait for its end; null if nobody does: see rules/send-failures.ts.
  ALTER TABLE sends ADD COLUMN awaited_until INTEGER;
  `,
  `
  -- The burst of an item: null if it is handled alone, 0 until the burst is sealed, and then the id of its last item.
  ALTER TABLE items ADD COLUMN burst INTEGER;
  CREATE INDEX items_burst ON items (burst, lane) WHERE burst IS NOT NULL;
  `,
  `
  -- Shapes of payloads: paths is a JSON list of path:type, without a value and without a name that may be data. An empty
  -- fingerprint counts the shapes, and an empty event the events, for which there was no room: see rules/shapes.ts.
  CREATE TABLE payload_shapes (
    event TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    paths TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (event, fingerprint)
  ) STRICT, WITHOUT ROWID;

  -- Facts by the paths where they were found, and doubts about them; seen and sure count messages.
  CREATE TABLE payload_facts (
    event TEXT NOT NULL,
    fact TEXT NOT NULL,
    path TEXT NOT NULL,
    how TEXT NOT NULL,
    seen INTEGER NOT NULL,
    sure INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (event, fact, path, how)
  ) STRICT, WITHOUT ROWID;

  -- The facts that the app maps, as of its last start; path is () for a function.
  CREATE TABLE payload_mapping (
    event TEXT NOT NULL,
    fact TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (event, fact)
  ) STRICT, WITHOUT ROWID;
  `,
]
