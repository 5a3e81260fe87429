/**
 * Migrations, oldest first, append-only; within a major version they only add. Times are milliseconds of wall
 * time unless a column says otherwise; `at`, `last_at` are service time.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- The inbox. A suspected replay or a conflict points by of_seq at the delivery that it resembles.
  -- Pruning takes rows away, and a seq is never given twice: items and claims are known by it.
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription TEXT NOT NULL,
    delivery_id TEXT,
    event TEXT,
    timestamp INTEGER NOT NULL,
    digest BLOB NOT NULL,
    body BLOB,
    received_at INTEGER NOT NULL,
    clock_offset INTEGER NOT NULL,
    state TEXT NOT NULL,
    of_seq INTEGER,
    repeats INTEGER NOT NULL DEFAULT 0,
    note TEXT
  ) STRICT;
  CREATE UNIQUE INDEX deliveries_resembling ON deliveries (of_seq, digest, coalesce(event, ''), state)
    WHERE state IN ('suspected_replay', 'conflict');
  CREATE INDEX deliveries_of ON deliveries (of_seq) WHERE of_seq IS NOT NULL;
  -- What pruning goes through: first the bytes go, later the row.
  CREATE INDEX deliveries_bytes ON deliveries (received_at) WHERE body IS NOT NULL;
  CREATE INDEX deliveries_ids ON deliveries (received_at) WHERE body IS NULL;

  -- Stored deliveries that no sort has seen. A table of its own, so that sorting does not write the bytes again.
  -- again is 1 where a person had it sorted before: then its parked items are replaced.
  CREATE TABLE unsorted (seq INTEGER PRIMARY KEY, again INTEGER NOT NULL DEFAULT 0) STRICT;

  -- The two keys of deduplication: by id, and by what was signed.
  CREATE TABLE delivery_ids (
    subscription TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (subscription, delivery_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE signed (
    subscription TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    digest BLOB NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (subscription, timestamp, digest)
  ) STRICT, WITHOUT ROWID;

  -- What one delivery says to one customer; id is seq * 1048576 + idx. settled_at is null while it waits or runs.
  CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    kind TEXT NOT NULL,
    number TEXT NOT NULL,
    customer TEXT,
    lane TEXT NOT NULL,
    at INTEGER NOT NULL,
    facts TEXT NOT NULL,
    cause TEXT NOT NULL,
    identity TEXT,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER NOT NULL,
    finished TEXT NOT NULL DEFAULT '[]',
    reason TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX items_waiting ON items (lane, at) WHERE settled_at IS NULL;

  -- What ctx.once gave, as JSON; kept as long as the item.
  CREATE TABLE once_results (
    item INTEGER NOT NULL,
    name TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (item, name)
  ) STRICT, WITHOUT ROWID;

  -- A row exists while something waits in the lane or somebody works on it. While owned, ready_at is the
  -- lease's end; a back-off that holds the lane keeps it from being woken before holds_until.
  CREATE TABLE lanes (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    ready_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    holds_until INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    token INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_ready ON lanes (kind, ready_at, since);

  CREATE TABLE identities (
    number TEXT NOT NULL,
    identity TEXT NOT NULL,
    binding TEXT NOT NULL,
    seq INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (number, identity)
  ) STRICT, WITHOUT ROWID;

  -- Identity claims whose delivery was pruned: they are freed when their own time has come.
  CREATE TABLE claims_left (
    claimed_at INTEGER NOT NULL,
    number TEXT NOT NULL,
    identity TEXT NOT NULL,
    PRIMARY KEY (claimed_at, number, identity)
  ) STRICT, WITHOUT ROWID;

  -- The outbox, which is also the ledger. settled_at is null while a send is to go out.
  -- seq is the order in which they were asked for; ids come from clocks, which may go back. held_from is the state
  -- that a send has again when it is let go, and null but in a database that was brought back from a backup.
  CREATE TABLE sends (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    lane TEXT NOT NULL,
    cause TEXT NOT NULL,
    slot TEXT NOT NULL,
    ref TEXT,
    state TEXT NOT NULL,
    via TEXT NOT NULL,
    body TEXT NOT NULL,
    fallback_key TEXT UNIQUE,
    fallback_body TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    first_attempt_at INTEGER,
    attempting_since INTEGER,
    next_at INTEGER NOT NULL,
    message_id TEXT,
    upstream_id TEXT,
    code TEXT,
    reason TEXT,
    possibly_twice INTEGER NOT NULL DEFAULT 0,
    diverged INTEGER NOT NULL DEFAULT 0,
    held_from TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX sends_cause ON sends (cause);
  CREATE INDEX sends_waiting ON sends (lane, seq) WHERE settled_at IS NULL;
  CREATE INDEX sends_message ON sends (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX sends_upstream ON sends (upstream_id) WHERE upstream_id IS NOT NULL;

  CREATE TABLE statuses (
    message TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    number TEXT NOT NULL,
    reason TEXT,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (message, status, at)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE windows (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    last_at INTEGER NOT NULL,
    handled_at INTEGER,
    PRIMARY KEY (number, customer)
  ) STRICT, WITHOUT ROWID;

  -- generation: raised at each opening and while the file is worked on, and kept beside the file too.
  -- restored_upto: deliveries up to this seq came back with a backup; resumed:NUMBER where its sends were let go.
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
]
