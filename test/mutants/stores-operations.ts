import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'ELSE coalesce(${failure && JSON.stringify(failure)}, failure) END',
    to: 'ELSE ${failure && JSON.stringify(failure)} END',
    breaks: 'An item that is given up without another error keeps the last one.',
    killedBy: { 'test/stores/sqlite.test.ts': 'shows the error of the last attempt that failed' },
  },
  {
    file: 'src/stores/operations/in-portions.ts',
    from: '{ isLast: at === parts.length,',
    to: '{ isLast: true,',
    breaks: 'A batch is pending until all of it is stored.',
    killedBy: { 'test/stores/sqlite/ingest-parts.test.ts': 'goes on where a process ended between two parts' },
  },
  {
    file: 'src/stores/operations/sends/codes.ts',
    from: "WHERE kind = 'code' AND ready_at <= ${now}",
    to: "WHERE kind = 'code'",
    breaks: 'A code in flight is not lost.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'is lost when its process no longer holds it, and a process that comes back late settles nothing',
    },
  },
  {
    file: 'src/stores/operations/items/customers.ts',
    from: `if (fence && !(yield* holdsLane(fence))) return false
  const { number, customer } = asked`,
    to: 'const { number, customer } = asked',
    breaks: 'A zombie mutes nobody.',
    killedBy: { 'test/stores/sqlite.test.ts': 'changes nothing for an attempt that lost its lane' },
  },
  {
    file: 'src/stores/operations/pruning/erase-forgotten.ts',
    from: 'yield* run(sql`DELETE FROM once_results WHERE item = ${id}`)',
    to: '',
    breaks: 'What a once kept of a forgotten customer goes too.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'cancels at once what has surely not gone out, erases session, mute and window',
    },
  },
  {
    file: 'src/stores/operations/reads/history.ts',
    from: "AND i.id >= ${itemId((yield* forgottenUpto(who, 'deliveries')) + 1, 0)}",
    to: '',
    breaks: 'What is forgotten is shown no more, before it is erased.',
    killedBy: { 'test/stores/sqlite.test.ts': 'shows nothing of a customer who was forgotten' },
  },
  {
    file: 'src/stores/operations/reads/history.ts',
    from: "WHERE state = 'accepted' AND withheld = 0 AND number",
    to: "WHERE state = 'accepted' AND number",
    breaks: 'A one-time code leaves no trace in a history.',
    killedBy: { 'test/stores/sqlite.test.ts': 'and never a one-time code' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'ORDER BY CASE WHEN attempts > 0 THEN 0 ELSE 1 END, at, id LIMIT 1',
    to: 'ORDER BY at, id LIMIT 1',
    breaks: 'What has begun goes before what came before it.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'lets no straggler before an item that has begun: in the back-off that blocks the lane, and after its process is gone',
    },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: "AND state IN ('dead', 'parked')",
    to: '',
    breaks: 'A retry leaves alone what is done or runs.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'runs a retried item once, however often it is asked for, and leaves alone what waits, runs or is done',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'WHERE lanes.owner IS NULL`)\n  tx.wake',
    to: '`)\n  tx.wake',
    breaks: 'A wake-up does not take a lane from its holder.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'takes a send that is recorded while its lane is held as the holder’s next one',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'owner = ${owner} AND token = ${token})`\n}',
    to: 'owner = ${owner})`\n}',
    breaks: 'A fence of an earlier lease no longer stands.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'takes a lane of its own again that it no longer holds, once the lease has expired',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'begin && !row.pending && begin',
    to: 'begin && begin',
    breaks: 'What is stored begins behind what is pending.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'waits as long as any delivery is pending, since that may belong before it',
    },
  },
  {
    file: 'src/stores/operations/lanes/lanes.ts',
    from: 'greatest(coalesce(lanes.last_at, excluded.last_at), excluded.last_at)',
    to: 'excluded.last_at',
    breaks: 'The window moves forward only.',
    killedBy: { 'test/stores/sqlite.test.ts': 'moves a window forward only, per number and customer' },
  },
  {
    file: 'src/stores/operations/turns/once.ts',
    from: 'if (!(yield* holdsLane(fence))) return false',
    to: '',
    breaks: 'A zombie keeps no result of `once`.',
    killedBy: { 'test/stores/sqlite.test.ts': 'lets a zombie keep no result of a once' },
  },
  {
    file: 'src/stores/operations/sends/open-send.ts',
    from: 'const mayGoOut = begin && !lookedUp.busy && ',
    to: 'const mayGoOut = begin && ',
    breaks: 'A send waits behind what its lane holds.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'waits for its turn while another send to that customer waits or is under way',
    },
  },
  {
    file: 'src/stores/operations/sends/open-send.ts',
    from: 'if (!lookedUp.held) return undefined',
    to: '',
    breaks: 'A zombie records no send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'lets a zombie send nothing: its reply is not recorded, neither anew nor over a refused one',
    },
  },
  {
    file: 'src/stores/operations/sends/starting-send.ts',
    from: "mayBegin(facts.throttle, begin.now) !== 'yes'",
    to: 'false',
    breaks: 'Nothing goes out at once from a closed number.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'waits while its number is paused or stopped; the probe is a claimed send',
    },
  },
  {
    file: 'src/stores/operations/pruning/prune-bytes.ts',
    from: `o.state IN ('quarantined', 'conflict')
      OR `,
    to: '',
    breaks: 'What waits for a person is never removed by age.',
    killedBy: { 'test/stores/sqlite.test.ts': 'keeps a delivery that is a conflict for a person to see, however old' },
  },
  {
    file: 'src/stores/operations/pruning/prune-sends.ts',
    from: "settled_at < ${idsBefore} AND state <> 'unknown'",
    to: 'settled_at < ${idsBefore}',
    breaks: 'A send of unknown outcome stays until a person decides.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'removes sends under the app’s own keys with the ids, unless their outcome is unknown',
    },
  },
  {
    file: 'src/stores/operations/dialect.ts',
    from: "(SELECT coalesce(max(upto), 0) FROM forgotten WHERE what = 'sends')",
    to: '0',
    breaks: 'What comes after a customer was forgotten is not erased.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'keeps a later send, though the newest one before it is erased and another is still under way',
    },
  },
  {
    file: 'src/stores/operations/pruning/discard.ts',
    from: 'count(*) > count(s.settled_at)',
    to: '1 = 0',
    breaks: 'A delivery stays while its reply is on the way.',
    killedBy: { 'test/stores/sqlite.test.ts': 'leaves what waits for its turn or runs, has an open send' },
  },
  {
    file: 'src/stores/operations/sends/begin-send.ts',
    from: 'sql`AND ${bytes} IN (body, fallback_body)`',
    to: 'sql``',
    breaks: 'A send that was opened again with other bytes is not begun with the old ones.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'is gone for its claimer if it was cancelled and asked for again, with other bytes or for later',
    },
  },
  {
    file: 'src/stores/operations/sends/begin-send.ts',
    from: "WHEN state = 'attempting' THEN coalesce(attempting_since, ${now}) ELSE ${now} END",
    to: "WHEN state = 'attempting' THEN ${now} ELSE ${now} END",
    breaks: 'The ten minutes run from the first attempt in doubt.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'keeps the time of the first attempt, and of the first in doubt, through repeats, and counts them',
    },
  },
  {
    file: 'src/stores/operations/sends/claim-sends.ts',
    from: 'seq = next(sends)',
    to: 'seq = seq',
    breaks: 'A scheduled send that comes due goes behind what waits.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'joins its lane behind those that wait when its time has come, and those before it keep their order',
    },
  },
  {
    file: 'src/stores/operations/sends/next-send.ts',
    from: "if (may === 'probe') yield* noteProbe(head.number, now)",
    to: '',
    breaks: 'One send asks for all after an outage.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'lets one probe out of a stopped number, from two processes too',
    },
  },
  {
    file: 'src/stores/operations/sends/write-settlement.ts',
    from: 'WHERE id = ${send} AND ${stands(fence)}\n    RETURNING',
    to: 'WHERE id = ${send}\n    RETURNING',
    breaks: 'A process that lost its lane settles no send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'is lost when its process no longer holds it, and a process that comes back late settles nothing',
    },
  },
  {
    file: 'src/stores/operations/sends/write-settlement.ts',
    from: 'if (to.strays) yield* adoptStatuses(messageId, upstreamId)',
    to: '',
    breaks: 'A status that came before the answer belongs to its send.',
    killedBy: {
      'test/stores/sqlite.test.ts':
        'gives statuses that came before the answer to their send, by either id, once it is known',
    },
  },
  {
    file: 'src/stores/operations/sends/write-settlement.ts',
    from: 'sql`AND settled_at IS NULL`',
    to: 'sql``',
    breaks: 'A send that was cancelled before its attempt stays cancelled.',
    killedBy: { 'test/stores/sqlite.test.ts': 'stays cancelled if its claimer puts it off before an attempt begins' },
  },
  {
    file: 'src/stores/operations/turns/session-turn.ts',
    from: '(owner IS NOT NULL OR blocked_until > 0)',
    to: 'owner IS NOT NULL',
    breaks: 'A message in a back-off finds the session as its first attempt found it.',
    killedBy: { 'test/stores/sqlite.test.ts': 'gives the lane to a turn without an item' },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: 'AND i.settled_at IS NULL ORDER BY i.at, i.id',
    to: 'AND i.settled_at IS NULL ORDER BY i.id',
    breaks: 'The messages of a burst stand in the order of their payload times.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'are gathered until their customer is quiet, and begin as one, by payload time',
    },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: 'if (of !== GATHERED && (yield* isIncomplete(burst))) {',
    to: 'if (of === GATHERED && (yield* isIncomplete(burst))) {',
    breaks: 'A burst that is ingested again waits for all of its messages.',
    killedBy: { 'test/stores/sqlite.test.ts': 'stay one with their cause if they were parked and are ingested again' },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: 'SET burst = ${burst}, cause = ${cause}, ready_at',
    to: 'SET burst = ${burst}, ready_at',
    breaks: 'A burst has a cause of its own, by which its replies are known again.',
    killedBy: { 'test/stores/sqlite.test.ts': 'have the same members and the same cause in each attempt' },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: 'JSON.stringify(causes)',
    to: 'JSON.stringify(causes.length)',
    breaks: 'Two bursts of other messages never share a key.',
    killedBy: { 'test/stores/sqlite.test.ts': 'of other messages have another cause' },
  },
  {
    file: 'src/stores/operations/items/bursts.ts',
    from: `  if (readyAt > now) yield* noteWait(now)
`,
    to: '',
    breaks: 'A burst waits no longer than was meant if the clock goes back.',
    killedBy: { 'test/stores/sqlite.test.ts': 'wait no longer than was meant if the clock goes back' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'AND burst IS NULL AND EXISTS (',
    to: 'AND EXISTS (',
    breaks: 'All messages of a burst are done with it.',
    killedBy: { 'test/stores/sqlite.test.ts': 'settle together, in whatever way' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: `, failure) END
    WHERE (id = \${item} OR burst = \${item})`,
    to: `, failure) END
    WHERE id = \${item}`,
    breaks: 'All messages of a burst are given up with it.',
    killedBy: { 'test/stores/sqlite.test.ts': 'settle together, in whatever way' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: `, failure)
    WHERE (id = \${item} OR burst = \${item})`,
    to: `, failure)
    WHERE id = \${item}`,
    breaks: 'All messages of a burst wait for its next attempt.',
    killedBy: { 'test/stores/sqlite.test.ts': 'settle together, in whatever way' },
  },
  {
    file: 'src/stores/operations/turns/item-row.ts',
    from: 'late: isLate(earlier[0]?.at ?? at,',
    to: 'late: isLate(at,',
    breaks: 'A burst is late if one of its messages is.',
    killedBy: { 'test/stores/sqlite.test.ts': 'are late if one of their messages is' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'WHERE (id = ${id} OR burst = (SELECT burst FROM items WHERE id = ${id})) AND',
    to: 'WHERE id = ${id} AND',
    breaks: 'A burst is put back as a whole.',
    killedBy: { 'test/stores/sqlite.test.ts': 'are put back whole if a person asks for one of their messages' },
  },
  {
    file: 'src/stores/operations/items/insert-item.ts',
    from: `  if (burst === 'flushes' && free.waits) yield* seal(lane)
`,
    to: '',
    breaks: 'What was written before a tap is handled before it.',
    killedBy: { 'test/stores/sqlite.test.ts': 'are sealed and begin at once if a message flushes them' },
  },
  {
    file: 'src/stores/operations/items/insert-item.ts',
    from: 'return wasOfBurst && ran.lane !== lane ? undefined : ran',
    to: 'return ran',
    breaks: 'A message that comes from another customer after all is answered by itself.',
    killedBy: { 'test/stores/sqlite.test.ts': 'lose a message that turns out to come from another customer' },
  },
  {
    file: 'src/stores/operations/turns/item-turns.ts',
    from: 'if (claim.unlessPending && (yield* somePending(claim.unlessPending))) return PENDING',
    to: '',
    breaks: 'What is pending goes before what is ready.',
    killedBy: { 'test/stores/sqlite.test.ts': 'takes nothing while deliveries are pending' },
  },
  {
    file: 'src/stores/operations/inbox/pending.ts',
    from: '[seq, ...(yield* parkedWith(seq))]',
    to: '[seq]',
    breaks: 'A parked burst is ingested again as a whole.',
    killedBy: { 'test/stores/sqlite.test.ts': 'stay one with their cause if they were parked and are ingested again' },
  },
  {
    file: 'src/stores/operations/pruning/prune-rows.ts',
    from: 'o.burst = i.burst AND o.seq NOT IN numbers(${seqs}) AND o.cause = i.cause',
    to: '1 = 0',
    breaks: 'A reply is known as long as one message of its burst may ask for it again.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'keep their sends as long as one of their messages may ask for them again',
    },
  },
  {
    file: 'src/stores/operations/pruning/prune-conversations.ts',
    from: `(
        SELECT 1 FROM items i WHERE i.id = v.item AND (i.settled_at IS NULL OR i.state IN ('dead', 'parked'))) IS NULL)`,
    to: `NOT EXISTS (
        SELECT 1 FROM items i WHERE i.id = v.item AND (i.settled_at IS NULL OR i.state IN ('dead', 'parked'))))`,
    breaks: 'Pruning goes by indexes in tables whose rows the server has not counted.',
    killedBy: {
      'test/stores/postgres/contract.test.ts':
        'is looked up by indexes in tables of ten million rows of which the server knows nothing else',
    },
  },
  {
    file: 'src/stores/operations/reads/recorded-deliveries.ts',
    from: 'AT_ONCE = 2_000',
    to: 'AT_ONCE = 200_000',
    breaks:
      'Recorded deliveries are found behind millions that have lost their bytes, before the time of a read is over.',
    killedBy: {
      'test/stores/postgres/recorded.test.ts': 'are found behind any number that have lost their bytes',
    },
  },
  {
    file: 'src/stores/operations/payloads.ts',
    from: '(known.length < MOST_SHAPES || leaves !== undefined)',
    to: 'true',
    breaks: 'Shapes of an event are bounded in the database.',
    killedBy: { 'test/stores/sqlite.test.ts': 'keeps no more than 32 shapes of an event and 16 events apart' },
  },
  {
    file: 'src/stores/operations/payloads.ts',
    from: "(kept?.n ?? 0) < MOST_EVENTS ? event : ''",
    to: 'event',
    breaks: 'Events of which shapes are kept are bounded.',
    killedBy: { 'test/stores/sqlite.test.ts': 'keeps no more than 32 shapes of an event and 16 events apart' },
  },
  {
    file: 'src/stores/operations/payloads.ts',
    from: '(kept?.n ?? 0) < MOST_FACTS ? fact',
    to: 'true ? fact',
    breaks: 'Paths of facts are bounded in the database.',
    killedBy: { 'test/stores/sqlite.test.ts': 'keeps no more than 256 paths of facts of an event apart' },
  },
  {
    file: 'src/stores/operations/items/own-deliveries.ts',
    from: "kind === 'send_failed' ? undefined : 'flushes'",
    to: 'undefined',
    breaks: 'An answer that is being gathered when its time is over was given in time.',
    killedBy: {
      'test/testing/burst-answers.test.ts':
        'an answer that is gathered when the time of its question is over was given in time',
    },
  },
  {
    file: 'src/stores/operations/sends/tell-failed.ts',
    from: ' || (yield* isForgotten(send))',
    to: '',
    breaks: 'Nothing is told of a customer who was forgotten.',
    killedBy: { 'test/stores/sqlite.test.ts': 'tells of no failure of a send that was under way' },
  },
  {
    file: 'src/stores/operations/lanes/take-lanes.ts',
    from: '(key NOT IN list(${JSON.stringify(awaited)}) OR ${AGAIN})',
    to: 'key NOT IN list(${JSON.stringify(awaited)})',
    breaks: 'A turn of a lane does not keep the claim from what it waits for itself.',
    killedBy: { 'test/stores/sqlite.test.ts': 'unless that turn waits for what has begun in it' },
  },
  {
    file: 'src/stores/operations/lanes/take-lanes.ts',
    from: 'return interleaved(turns).slice(0, limit)',
    to: 'return turns.flat().slice(0, limit)',
    breaks: 'Of each number one lane is taken before a second one of any.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'gives each number its turn: of each the lane that waits longest, then of each',
    },
  },
  {
    file: 'src/stores/operations/lanes/take-lanes.ts',
    from: 'else if (wraps) range = { upTo: after }',
    to: 'else if (wraps) break',
    breaks: 'Turns come round to the numbers before the one that was served last.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'begins with the number behind the one whose turn was last, and comes round to it',
    },
  },
  {
    file: 'src/stores/operations/lanes/take-lanes.ts',
    from: 'closed_until <= ${now} ${withRoom(claim)})',
    to: 'closed_until <= ${now})',
    breaks: 'The probe of a number that has its share takes nobody else’s turn.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'takes a send of another number where the probe of one that has its share would be',
    },
  },
  {
    file: 'src/stores/operations/sends/throttles.ts',
    from: 'AND in_a_row = ${seen}',
    to: '',
    breaks: 'A success that began before another process paused the number does not end that pause.',
    killedBy: {
      'test/stores/sqlite.test.ts': 'no attempt of another process that began before it ends it by a success',
    },
  },
] satisfies Mutant[]
