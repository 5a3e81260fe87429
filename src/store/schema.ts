/** Deliveries and their items, and what is still to be done of them. */
const INBOX = `
  -- One row for each item. Ordinal 0 carries the delivery, also one without items, whose kind is then null; the items
  -- behind it point to it by delivery. On the ordinary path a row is written once. Ids rise with arrival, and none is
  -- given twice.
  -- mark: what became of a delivery without items (ignored, quarantined, suspected_replay, conflict, rendered_anew, stale),
  -- or of an item that is not handled (ignored, same_message); null otherwise.
  -- delivery_id, and digest with timestamp, are the two keys of a delivery: null in a row that is not known by them.
  -- other_id: the delivery id of such a row. first: the delivery that a conflict or a suspected replay resembles.
  -- identity: the message that the item claims to be; binding tells apart two messages of one identity. A row whose
  -- delivery was pruned can stay as that claim alone: its cause is then empty.
  -- burst: 0 while messages are gathered, then the id of the burst's last item; null if the item is handled alone.
  -- trace, here and of sends: the span in which it began, as W3C trace context.
  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL,
    delivery INTEGER,
    subscription TEXT,
    delivery_id TEXT,
    other_id TEXT,
    event TEXT,
    timestamp INTEGER,
    digest BLOB,
    received_at INTEGER NOT NULL,
    clock_offset INTEGER NOT NULL,
    repeats INTEGER NOT NULL,
    mark TEXT,
    first INTEGER,
    note TEXT,
    trace TEXT,
    kind TEXT,
    number TEXT,
    customer TEXT,
    lane TEXT,
    at INTEGER,
    cause TEXT,
    identity TEXT,
    binding TEXT,
    burst INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX inbox_id ON inbox (subscription, delivery_id) WHERE delivery_id IS NOT NULL;
  -- The time comes first: an entry lies beside those that came just before it, in a page that is in memory.
  CREATE UNIQUE INDEX inbox_signed ON inbox (timestamp, digest, subscription) WHERE digest IS NOT NULL;
  CREATE UNIQUE INDEX inbox_identity ON inbox (number, identity) WHERE identity IS NOT NULL;
  CREATE INDEX inbox_delivery ON inbox (delivery) WHERE delivery IS NOT NULL;
  CREATE INDEX inbox_first ON inbox (first) WHERE first IS NOT NULL;
  CREATE INDEX inbox_mark ON inbox (mark, id) WHERE mark IS NOT NULL;
  CREATE INDEX inbox_other ON inbox (other_id) WHERE other_id IS NOT NULL;
  CREATE INDEX inbox_burst ON inbox (burst) WHERE burst > 0;
  CREATE INDEX inbox_claims ON inbox (received_at) WHERE cause = '';

  -- The bytes of a delivery and the facts of an item, under the id of the inbox row. filler: zeros in a row that was wiped.
  CREATE TABLE contents (id INTEGER PRIMARY KEY, body BLOB, facts TEXT, filler TEXT) STRICT;

  -- One row for each open item; deleted when the item is done. place: 0 first of its lane and not running, 1 running, 2
  -- behind another item, null outside its lane. The unique index makes a lane: at most one item of it is first.
  -- state: stored, running, retry, parked, dead; unread (a delivery that waits for ingest: its number is the subscription,
  -- since only its payload tells which number of several it concerns) or gathering (into a burst);
  -- forgotten or forgetting: it runs, and its customer was forgotten, by its own handler or otherwise. Of a
  -- sealed burst the last item is in the lane; the others are outside, have its state, and no time at which they are due.
  -- item, owner and run are the fence: owner is the process that runs the item, run a counter that only rises, from the
  -- time at which the item was opened: a database that lost its end gives ids away again, and what runs of a lost item
  -- must not pass for the new one. attempts is the count that an orderly stop gives back. followed: another item may wait
  -- behind this one. interrupted: its process ended while the item ran. due: wall time from which it may begin. since:
  -- wall time of its receipt, or of a person's retry. completed: a JSON list of the handlers that have completed.
  -- failure: the last error as JSON, without its message.
  CREATE TABLE work (
    item INTEGER PRIMARY KEY,
    lane TEXT,
    number TEXT,
    at INTEGER,
    place INTEGER,
    state TEXT NOT NULL,
    owner INTEGER,
    run INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    followed INTEGER NOT NULL,
    interrupted INTEGER NOT NULL,
    due INTEGER,
    since INTEGER NOT NULL,
    burst INTEGER,
    completed TEXT,
    reason TEXT,
    failure TEXT
  ) STRICT;
  CREATE UNIQUE INDEX work_lane ON work (lane) WHERE place < 2;
  CREATE INDEX work_first ON work (number, due, item) WHERE place = 0;
  CREATE INDEX work_behind ON work (lane, at, item) WHERE place = 2;
  CREATE INDEX work_followed ON work (lane) WHERE place = 1 AND followed = 1;
  CREATE INDEX work_outside ON work (state, item) WHERE place IS NULL;
  CREATE INDEX work_unread ON work (number, item) WHERE state = 'unread';
  CREATE INDEX work_gathering ON work (lane) WHERE state = 'gathering';
  CREATE INDEX work_due ON work (due) WHERE place IS NULL AND due IS NOT NULL;

  -- Processes that begin work. One whose lease has ended is marked dead by another, and begins nothing any more. ahead: how far
  -- its wall clock went before that of another process which looked at its lease.
  CREATE TABLE processes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    until INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    ahead INTEGER NOT NULL
  ) STRICT;

  -- Results of ctx.once, as JSON.
  CREATE TABLE once_results (
    item INTEGER NOT NULL,
    name TEXT NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (item, name)
  ) STRICT, WITHOUT ROWID;
`

const CUSTOMERS = `
  -- A customer on a number. last_at: their last message; handled_at: the latest one that was handled; sent_at: the last send
  -- that the service accepted (service time). moved_at: wall time of the last change of these. taken_by: who has the customer, or
  -- had them last (agent, person). taken_cause: of the item whose handler handed over. resumed_at: when the app last took them
  -- back. wrote_as: the spelling of their number in their last message, if the bot has a rule for that.
  -- counted: how many of their messages arrived since counted_since (service time), for the option perCustomer.
  -- conversation: the id of the open one. session: the app's own state as JSON.
  CREATE TABLE customers (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    last_at INTEGER,
    wrote_as TEXT,
    moved_at INTEGER,
    handled_at INTEGER,
    sent_at INTEGER,
    taken_by TEXT,
    taken_since INTEGER,
    taken_until INTEGER,
    taken_cause TEXT,
    resumed_at INTEGER,
    counted_since INTEGER,
    counted INTEGER,
    conversation TEXT,
    session TEXT,
    session_version INTEGER,
    session_expires_at INTEGER,
    PRIMARY KEY (number, customer)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX customers_taken ON customers (taken_until) WHERE taken_by = 'person';

  -- The queue of people: a customer whom a person was asked to answer, or had. state: waiting, snoozed (until), answered,
  -- dismissed, or open (nobody waits). since: from when they wait, kept when the wait ends: a message that fails later
  -- brings it back. why: handed_over, asked, wrote, failed, unread. first, item: the inbox rows that began the wait and
  -- that asked last, at asked_at. upto: the newest inbox row that the last answer or dismissal saw. since, asked_at, until:
  -- service time. ended_by: who answered or dismissed. assignee: whose chat it is. changed: wall time of the last change,
  -- raised so that no two rows share it. No end of a take-over, start or pruning ends a wait.
  CREATE TABLE people (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER,
    why TEXT,
    first INTEGER,
    item INTEGER,
    asked_at INTEGER,
    upto INTEGER,
    until INTEGER,
    ended_by TEXT,
    assignee TEXT,
    changed INTEGER NOT NULL,
    PRIMARY KEY (number, customer)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX people_waiting ON people (since) WHERE state IN ('waiting', 'snoozed');
  CREATE INDEX people_assigned ON people (assignee) WHERE assignee IS NOT NULL;
  CREATE INDEX people_changed ON people (changed);

  -- What people write to each other about a customer. passed_to: to whom the chat was passed with it.
  CREATE TABLE notes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    note TEXT NOT NULL,
    passed_to TEXT
  ) STRICT;
  CREATE INDEX notes_customer ON notes (number, customer, seq);

  -- Conversations and, in conversation_steps, their journals. waits: JSON of the step at which the script waits; null if it
  -- has ended. item: the one that entered it last.
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
  CREATE INDEX conversations_listed ON conversations (id) WHERE state = 'open';
  CREATE INDEX conversations_customer ON conversations (number, customer);

  CREATE TABLE conversation_steps (
    conversation TEXT NOT NULL,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    result TEXT,
    PRIMARY KEY (conversation, step)
  ) STRICT, WITHOUT ROWID;

  -- Timers that are not due yet; then each becomes an item of that kind with the body says, which has the time that was asked
  -- for: due_at can be later, at the end of a take-over. Service time. item: the one in whose handling it was set.
  CREATE TABLE timers (
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    item INTEGER NOT NULL,
    says TEXT NOT NULL,
    PRIMARY KEY (number, customer, kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_due ON timers (due_at);

  -- Customers who refused marketing on a number (state out), or agreed again there (in). customer: their digits, or a keyed
  -- hash once they were forgotten. at: service time of that message. how: the app's word for the way. Never pruned.
  CREATE TABLE opt_outs (
    customer TEXT NOT NULL,
    number TEXT NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    how TEXT NOT NULL,
    PRIMARY KEY (customer, number)
  ) STRICT, WITHOUT ROWID;
`

const OUTBOX = `
  -- Sends, with their exact bytes and outcome; also the ledger. seq is the order of recording. place, owner and run are
  -- those of work: a send that is to go out is in its lane, and its lane has one first. followed: another send may wait
  -- behind. settled_at is null while it is open. next_at: wall time from which it may begin. held_from: the state that a
  -- restored database took it out of. asked: a digest of what the app asked for, if that is not the body. due_at and
  -- expires_at are service time. unless_taken: a reply, which is skipped while the customer is taken over. marketing: 0 no,
  -- 1 refused by an opt-out on its own number, 2 by one on any number. delivery: the id of the delivery whose handler sends
  -- it. awaited_until: wall time until which its caller may wait for its end. withheld: the real body has a one-time code,
  -- and is in the memory of its process alone. part_of and part: of a message in parts, the key of the first and the place
  -- from 1; else null. options: if a tap has to name
  -- this message, JSON of the app's own ids of its options, in their order, and whether only one tap counts. used_by: the
  -- cause of the item that used that one. writer, seen: of what a person wrote, who did, and the newest inbox row of the
  -- customer that they saw.
  CREATE TABLE sends (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE,
    number TEXT NOT NULL,
    customer TEXT NOT NULL,
    lane TEXT NOT NULL,
    place INTEGER,
    owner INTEGER,
    run INTEGER NOT NULL,
    followed INTEGER NOT NULL,
    cause TEXT NOT NULL,
    slot TEXT NOT NULL,
    ref TEXT,
    delivery TEXT,
    state TEXT NOT NULL,
    via TEXT NOT NULL,
    body TEXT NOT NULL,
    fallback_key TEXT,
    fallback_body TEXT,
    attempts INTEGER NOT NULL,
    first_attempt_at INTEGER,
    attempting_since INTEGER,
    next_at INTEGER NOT NULL,
    message_id TEXT,
    upstream_id TEXT,
    code TEXT,
    reason TEXT,
    possibly_twice INTEGER NOT NULL,
    diverged INTEGER NOT NULL,
    held_from TEXT,
    asked TEXT,
    due_at INTEGER,
    expires_at INTEGER,
    unless_taken INTEGER NOT NULL,
    marketing INTEGER NOT NULL,
    withheld INTEGER NOT NULL,
    awaited_until INTEGER,
    trace TEXT,
    part_of TEXT,
    part INTEGER,
    options TEXT,
    used_by TEXT,
    writer TEXT,
    seen INTEGER,
    created_at INTEGER NOT NULL,
    settled_at INTEGER
  ) STRICT;
  CREATE INDEX sends_part ON sends (part_of, part) WHERE part_of IS NOT NULL;
  CREATE UNIQUE INDEX sends_fallback ON sends (fallback_key) WHERE fallback_key IS NOT NULL;
  CREATE INDEX sends_cause ON sends (cause, seq);
  CREATE UNIQUE INDEX sends_lane ON sends (lane) WHERE place < 2;
  CREATE INDEX sends_first ON sends (number, next_at, seq) WHERE place = 0;
  CREATE INDEX sends_behind ON sends (lane, seq) WHERE place = 2;
  CREATE INDEX sends_message ON sends (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX sends_upstream ON sends (upstream_id) WHERE upstream_id IS NOT NULL;
  CREATE INDEX sends_scheduled ON sends (due_at) WHERE state = 'scheduled';
  CREATE INDEX sends_state ON sends (state, seq)
    WHERE state <> 'ready' AND state <> 'attempting' AND state <> 'accepted';
  CREATE INDEX sends_ref ON sends (ref) WHERE ref IS NOT NULL;

  -- Throttles of numbers. Nothing goes out before closed_until, and then one send as a probe.
  CREATE TABLE throttles (
    number TEXT PRIMARY KEY,
    stopped INTEGER NOT NULL,
    since INTEGER NOT NULL,
    closed_until INTEGER NOT NULL,
    in_a_row INTEGER NOT NULL,
    code TEXT,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Statuses, under each id that the service gave a message, and the send's number: an id from a payload says nothing of
  -- another number. stray: 1 if the message is no send that we know yet: a status may arrive before the answer. The number
  -- of such a one can be several, joined, of which one sent it.
  CREATE TABLE statuses (
    message TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    number TEXT NOT NULL,
    reason TEXT,
    received_at INTEGER NOT NULL,
    stray INTEGER,
    PRIMARY KEY (message, number, status, at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX statuses_stray ON statuses (received_at) WHERE stray = 1;

  -- The item by which handlers learn that a message of a number has reached a status: once for each.
  CREATE TABLE reached (
    message TEXT NOT NULL,
    number TEXT NOT NULL,
    status TEXT NOT NULL,
    item INTEGER NOT NULL,
    PRIMARY KEY (message, number, status)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reached_item ON reached (item);

  -- Announcements. name: the app's own key, as JSON. content, outside_window: JSON; content is null if a function of the app
  -- makes it. hours: JSON of the hours in which messages may go out. reason, since, blamed: why an error paused it, since
  -- when (wall time), and the first recipient that it concerns. owner: the process that works on it. next_at, paced_to:
  -- service time of the next claim, and up to which the pace is used up. outcomes: how many answers of the service were
  -- committed; accepted_at: how many there were at the last acceptance. probe: 1 to begin with one recipient, 2 while that
  -- one is under way; probed: the last such recipient. The counts are of recipients.
  CREATE TABLE announcements (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    number TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    since INTEGER,
    blamed TEXT,
    content TEXT,
    outside_window TEXT,
    hours TEXT,
    per_hour INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    paced_to INTEGER,
    owner INTEGER,
    outcomes INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    probe INTEGER NOT NULL,
    probed TEXT,
    total INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    invalid INTEGER NOT NULL,
    opted_out INTEGER NOT NULL,
    taken_over INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX announcements_name ON announcements (number, name);
  CREATE INDEX announcements_running ON announcements (id) WHERE state = 'running';

  -- One row for each recipient; customer: digits, a keyed hash once they were forgotten, or what was no phone number. state:
  -- waiting; then sent (accepted), refused, invalid (nothing can be sent to this row), opted_out, taken_over or unknown.
  -- Of a send that was pruned: delivered, read or failed. nth: which outcome of the announcement it was. at: its wall time.
  -- send: the seq of the send. given: the app's spelling of the number, if that is another one. vars: JSON of the row's variables. zone: the index of its zone in hours. generation: of
  -- the send's key, raised when one that failed later is sent again.
  CREATE TABLE recipients (
    announcement INTEGER NOT NULL,
    customer TEXT NOT NULL,
    state TEXT NOT NULL,
    nth INTEGER,
    at INTEGER,
    code TEXT,
    reason TEXT,
    send INTEGER,
    given TEXT,
    vars TEXT,
    zone INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (announcement, customer)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX recipients_waiting ON recipients (announcement, zone, customer) WHERE state = 'waiting';
  CREATE INDEX recipients_refused ON recipients (announcement, nth) WHERE state = 'refused';
  CREATE INDEX recipients_send ON recipients (send) WHERE send IS NOT NULL;
`

const REST = `
  -- What people did by the admin page and the desk. number: the one that it concerns; null for several, or all. count: how
  -- many rows it changed, or messages were read; null until it has ended.
  CREATE TABLE acts (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    act TEXT NOT NULL,
    what TEXT NOT NULL,
    number TEXT,
    count INTEGER
  ) STRICT;

  -- Small values by name. generation: raised at each opening, and kept beside the file too. restored_upto: inbox rows up to
  -- this id came back with a backup; resumed:NUMBER: that number's sends were released. last_id, last_send: ids that were
  -- given, although their rows may be gone. schema_digest: of the statements that made the tables. same_customer: a digest of
  -- the rule for spellings of a number; absent without one. secret:NAME, mapping, forgotten:NUMBER/CUSTOMER,
  -- templates:NUMBER (the category of each template that was ever listed): JSON.
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

/**
 * Append-only; within a major version they only add. As SQLite reads them: PostgreSQL puts in its own types. Times are
 * milliseconds of wall time unless a column says otherwise; `at`, `last_at` are service time.
 */
export const MIGRATIONS: readonly string[] = [[INBOX, CUSTOMERS, OUTBOX, REST].join('\n')]
