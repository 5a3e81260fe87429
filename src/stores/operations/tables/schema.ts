/** The tables of deliveries, their items, and sends. */
const FIRST_SCHEMA = `
  -- The bytes of deliveries and the facts read from them: a log, which contents.ts alone writes. seq is the delivery's.
  -- The end of the log stays, so no place is given twice.
  CREATE TABLE contents (place INTEGER PRIMARY KEY, seq INTEGER NOT NULL, body BLOB, facts TEXT) STRICT;

  -- The inbox. A suspected replay or a conflict points by of_seq at the delivery that it resembles. seq is the place
  -- that its bytes took first. Pruning takes rows away, and a seq is never given twice: items are known by it.
  -- body_place is null once the bytes are gone; own_event is the name that the bytes give their event. holds_id and
  -- holds_signed are 1 for the delivery that is known by its id, and by what was signed: the two keys of deduplication.
  -- trace, here and of sends: the span in which it began, as W3C trace context; null without a tracer.
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    subscription TEXT NOT NULL,
    delivery_id TEXT,
    event TEXT,
    timestamp INTEGER NOT NULL,
    digest BLOB NOT NULL,
    body_place INTEGER,
    received_at INTEGER NOT NULL,
    clock_offset INTEGER NOT NULL,
    state TEXT NOT NULL,
    of_seq INTEGER,
    repeats INTEGER NOT NULL DEFAULT 0,
    own_event TEXT,
    note TEXT,
    holds_id INTEGER NOT NULL,
    holds_signed INTEGER NOT NULL,
    trace TEXT
  ) STRICT;
  CREATE UNIQUE INDEX deliveries_id ON deliveries (subscription, delivery_id) WHERE holds_id = 1;
  CREATE UNIQUE INDEX deliveries_signed ON deliveries (subscription, timestamp, digest) WHERE holds_signed = 1;
  CREATE UNIQUE INDEX deliveries_resembling ON deliveries (of_seq, digest, coalesce(event, ''), state)
    WHERE state IN ('suspected_replay', 'conflict');
  CREATE INDEX deliveries_of ON deliveries (of_seq) WHERE of_seq IS NOT NULL;

  -- Pending deliveries, which wait for ingest: a table of its own, since they are few of all.
  -- again is 1 if a person has it ingested once more: then its parked items are replaced.
  CREATE TABLE pending (seq INTEGER PRIMARY KEY, again INTEGER NOT NULL DEFAULT 0) STRICT;

  -- What one delivery says to one customer; id is seq * 1048576 + idx. settled_at is null while it waits or runs.
  -- completed_handlers: a JSON list of the handlers that have completed. failure: the last error of its handlers as JSON,
  -- without its message, which is the reason. burst: null if the item is handled alone, 0 until its burst is sealed, and
  -- then the id of the burst's last item. holds is 1 for the item that its identity belongs to; binding tells apart two
  -- messages that use one identity. If the delivery's row goes before the identity is free again, the item stays as that
  -- claim alone, without its customer and its cause.
  CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    kind TEXT NOT NULL,
    number TEXT NOT NULL,
    customer TEXT,
    lane TEXT NOT NULL,
    at INTEGER NOT NULL,
    facts_place INTEGER NOT NULL,
    cause TEXT NOT NULL,
    identity TEXT,
    binding TEXT,
    holds INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    ready_at INTEGER NOT NULL,
    completed_handlers TEXT NOT NULL DEFAULT '[]',
    reason TEXT,
    failure TEXT,
    burst INTEGER,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX items_identity ON items (number, identity) WHERE holds = 1;
  CREATE INDEX items_waiting ON items (lane, at) WHERE settled_at IS NULL;
  -- Items and sends in a back-off, which move if the clock goes back.
  CREATE INDEX items_backoff ON items (ready_at) WHERE settled_at IS NULL AND ready_at > 0;
  CREATE INDEX items_burst ON items (burst, lane) WHERE burst IS NOT NULL;
  -- Items of which only the claim of their identity is left.
  CREATE INDEX items_claims ON items (created_at) WHERE cause = '';

  -- Results of ctx.once, as JSON; kept as long as the item.
  CREATE TABLE once_results (
    item INTEGER NOT NULL,
    name TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (item, name)
  ) STRICT, WITHOUT ROWID;

  -- A lane may be claimed from ready_at on: the time of its next work or, while it has an owner, the end of the lease;
  -- null if nothing waits in it and nobody works on it. A claim makes it 0 once it is due. since is when it was made, came
  -- due or was released, and orders a number's lanes that are ready; numbers have their turns. Before blocked_until a back-off keeps it from being woken. The lane of a customer keeps
  -- the customer's window, and stays as long as that: last_at is their last message, handled_at the latest one that was
  -- handled, sent_at the last send that the service took; moved_at is wall time. Any other lane goes with its work.
  CREATE TABLE lanes (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    number TEXT NOT NULL,
    ready_at INTEGER,
    since INTEGER NOT NULL,
    blocked_until INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    token INTEGER,
    last_at INTEGER,
    moved_at INTEGER,
    handled_at INTEGER,
    sent_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX lanes_ready ON lanes (kind, ready_at, number, since, key) WHERE ready_at IS NOT NULL;

  -- The outbox, which is also the ledger. settled_at is null while a send is to go out. seq is the order of recording;
  -- ids come from clocks, which may go back. A send is held if the database was brought back from a backup: held_from is
  -- the state that it has again when it is let go. One that a stopped number holds is ready. asked is a digest of what the app asked for, if that is not
  -- the body. due_at (scheduled sends alone) and expires_at are service time. unless_muted: a reply, which is not sent
  -- while the bot is muted for its customer. delivery: the id of the one whose handler sends it. awaited_until: wall time
  -- until which its caller may wait for its end; null if nobody does: see rules/send-failures.ts. If withheld, the body on disk is not the real one: the real one has a
  -- one-time code, and is in the memory of the process that holds the lane 'code/ID'.
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
    delivery TEXT,
    state TEXT NOT NULL,
    via TEXT NOT NULL,
    body TEXT NOT NULL,
    fallback_key TEXT,
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
    asked TEXT,
    due_at INTEGER,
    expires_at INTEGER,
    unless_muted INTEGER NOT NULL DEFAULT 0,
    withheld INTEGER NOT NULL DEFAULT 0,
    awaited_until INTEGER,
    trace TEXT,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX sends_fallback ON sends (fallback_key) WHERE fallback_key IS NOT NULL;
  CREATE INDEX sends_cause ON sends (cause);
  CREATE INDEX sends_waiting ON sends (lane, seq) WHERE settled_at IS NULL;
  CREATE INDEX sends_backoff ON sends (next_at) WHERE settled_at IS NULL AND next_at > 0;
  CREATE INDEX sends_message ON sends (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX sends_upstream ON sends (upstream_id) WHERE upstream_id IS NOT NULL;
  CREATE INDEX sends_unknown ON sends (number, customer) WHERE state = 'unknown';
  CREATE INDEX sends_scheduled ON sends (due_at) WHERE state = 'scheduled';

  -- Throttles of numbers. Closed: nothing goes out before closed_until, and then one send as a probe. since: when it
  -- was closed in this way.
  CREATE TABLE throttles (
    number TEXT PRIMARY KEY,
    stopped INTEGER NOT NULL,
    since INTEGER NOT NULL,
    closed_until INTEGER NOT NULL,
    in_a_row INTEGER NOT NULL,
    code TEXT,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Mutes: customers to whom the bot does not reply, since they typed BOT or a person took over. Service time.
  CREATE TABLE mutes (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    why TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (number, customer)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE statuses (
    message TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    number TEXT NOT NULL,
    reason TEXT,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (message, status, at)
  ) STRICT, WITHOUT ROWID;

  -- Statuses of messages that are no send of ours, or not yet known to be one: a status may come before the answer.
  CREATE TABLE stray_statuses (
    message TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    number TEXT NOT NULL,
    reason TEXT,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (message, status, at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX stray_statuses_age ON stray_statuses (received_at);

  -- The item that tells that a message reached a status: handlers hear of it once.
  CREATE TABLE reached (
    message TEXT NOT NULL,
    status TEXT NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (message, status)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reached_item ON reached (item);

  -- The app's own state about a customer, as JSON. expires_at is service time.
  CREATE TABLE sessions (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at INTEGER,
    PRIMARY KEY (number, customer)
  ) STRICT, WITHOUT ROWID;

  -- Customers of whom no delivery and no send is to be kept up to that seq: what is 'deliveries' or 'sends'. All up to
  -- erased_upto was looked at, and open_from is the first that could not be erased yet. The row goes once none is left.
  CREATE TABLE forgotten (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    what TEXT NOT NULL,
    upto INTEGER NOT NULL,
    erased_upto INTEGER NOT NULL DEFAULT -1,
    open_from INTEGER,
    PRIMARY KEY (number, customer, what)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

  -- generation: raised at each opening and while the file is worked on, and kept beside the file too.
  -- restored_upto: deliveries up to this seq came back with a backup; resumed:NUMBER: that number's sends were let go.
  -- holding: all sends are being held; resuming: all of them are being let go.
  -- waits_seen_at: wall time at which something was last seen to wait; a clock behind it went back.
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

const CONVERSATION_TABLES = `
  -- Conversations and, in conversation_steps, their journals. waits: JSON of the step at which the script waits; null if it
  -- has ended. item is the one that entered it last.
  CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    input TEXT,
    state TEXT NOT NULL,
    waits TEXT,
    ended TEXT,
    item INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX conversations_open ON conversations (number, customer) WHERE state = 'open';
  CREATE INDEX conversations_customer ON conversations (number, customer);

  -- result: JSON; null while the step has none.
  CREATE TABLE conversation_steps (
    conversation TEXT NOT NULL,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (conversation, step)
  ) STRICT, WITHOUT ROWID;

  -- Timers that have not come due; then each becomes an item of that kind, whose delivery says says. due_at is service
  -- time. seq: the delivery in whose handling the timer was armed.
  CREATE TABLE timers (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    says TEXT NOT NULL,
    PRIMARY KEY (number, customer, kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_due ON timers (due_at);
`

const PAYLOAD_TABLES = `
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

/**
 * The part of the schema for a person who looks on: the record of acts, and indexes of states that a delivery and its
 * replies do not ordinarily come through, so that those pay for none of them. Their conditions have no lists: of a list of
 * more than two SQLite makes a table for each row that it writes.
 */
const WATCH_TABLES = `
  -- What people did by the admin page. count: how many it changed; null until it has ended.
  CREATE TABLE acts (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    act TEXT NOT NULL,
    what TEXT NOT NULL,
    count INTEGER
  ) STRICT;

  CREATE INDEX items_state ON items (state, seq)
    WHERE state <> 'stored' AND state <> 'running' AND state <> 'done';
  CREATE INDEX deliveries_state ON deliveries (state, seq) WHERE state <> 'stored';
  -- Deliveries under an id that another one is known by; deliveries_id has the others.
  CREATE INDEX deliveries_again ON deliveries (delivery_id) WHERE holds_id = 0;
  CREATE INDEX sends_state ON sends (state, seq)
    WHERE state <> 'ready' AND state <> 'attempting' AND state <> 'accepted';
  CREATE INDEX sends_ref ON sends (ref) WHERE ref IS NOT NULL;
`

/**
 * Migrations, oldest first, append-only; within a major version they only add. They are written as SQLite reads them, and
 * any other engine puts its own words for the types in. Times are milliseconds of wall time unless a column says
 * otherwise; `at`, `last_at` are service time.
 */
export const MIGRATIONS: readonly string[] = [
  [FIRST_SCHEMA, CONVERSATION_TABLES, PAYLOAD_TABLES, WATCH_TABLES].join('\n'),
]
