/** The part of the schema that holds what payloads look like. */
export const PAYLOAD_TABLES = `
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
`
