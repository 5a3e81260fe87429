/** The part of the schema that holds what payloads look like. */
export const PAYLOAD_TABLES = `
  -- Shapes of payloads that were told: paths is a JSON list of path:type, without a value and without a name that may be
  -- data. See rules/shapes.ts for the bounds.
  CREATE TABLE payload_shapes (
    event TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    paths TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (event, fingerprint)
  ) STRICT, WITHOUT ROWID;

  -- The facts that the app maps, as of its last start; path is () for a function.
  CREATE TABLE payload_mapping (
    event TEXT NOT NULL,
    fact TEXT NOT NULL,
    path TEXT NOT NULL,
    PRIMARY KEY (event, fact)
  ) STRICT, WITHOUT ROWID;
`
