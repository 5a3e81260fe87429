import type { Mutant } from './driver/mutant.ts'

export default [
  {
    file: 'src/stores/rules/acceptance.ts',
    from: 'byId.sameBytes && byId.event === delivery.event',
    to: 'byId.sameBytes',
    breaks: 'The same id and bytes under another event name are no repeat.',
    killedBy: { 'test/stores/rules/acceptance.test.ts': 'suspects a known id and bytes under another name' },
  },
  {
    file: 'src/stores/rules/acceptance.ts',
    from: "return bySignature ? repeat(bySignature, 'stale') : row('stale')",
    to: "return row('stale')",
    breaks: 'A stale delivery is kept once.',
    killedBy: { 'test/stores/rules/acceptance.test.ts': 'counts a stale one whose bytes are known' },
  },
  {
    file: 'src/stores/rules/acceptance.ts',
    from: "if (spoof) return row('stored', spoof.root)",
    to: '',
    breaks: 'A delivery that was posted under a false name first is handled under its own.',
    killedBy: {
      'test/stores/rules/acceptance.test.ts':
        'stores the genuine delivery in the place of the one with a false event name',
    },
  },
  {
    file: 'src/stores/rules/acceptance.ts',
    from: "byId.sameBytes ? 'suspected_replay' : 'conflict')",
    to: "'suspected_replay')",
    breaks: 'The same id with other bytes is a conflict that waits for a person.',
    killedBy: { 'test/stores/rules/acceptance.test.ts': 'calls a known id with other bytes a conflict' },
  },
  {
    file: 'src/stores/rules/acceptance.ts',
    from: "if (first.state === 'stale') return false",
    to: '',
    breaks: 'What came while our clock was wrong does not suppress the delivery.',
    killedBy: { 'test/stores/rules/acceptance.test.ts': 'lets no stale copy stand in the way' },
  },
  {
    file: 'src/stores/rules/acceptance.ts',
    from: "if (first.state !== 'quarantined' && first.state !== 'ignored') return false",
    to: '',
    breaks: 'What was handled under one name is not handled again under another.',
    killedBy: {
      'test/stores/rules/acceptance.test.ts':
        'believes the name that the bytes give: false for "message.received" after',
    },
  },
  {
    file: 'src/stores/rules/ingest.ts',
    from: 'claimed.length > 0 && claimed.every(Boolean)',
    to: 'claimed.every(Boolean)',
    breaks: 'A delivery without items is nothing rendered anew.',
    killedBy: {
      'test/stores/rules/ingest.test.ts': 'takes a conflict for the same message in other bytes: false if claimed []',
    },
  },
  {
    file: 'src/stores/rules/ingest.ts',
    from: 'claimed.length > 0 && claimed.every(Boolean)',
    to: 'claimed.some(Boolean)',
    breaks: 'A delivery is rendered anew only if all its messages are known.',
    killedBy: {
      'test/stores/rules/ingest.test.ts':
        'takes a conflict for the same message in other bytes: false if claimed [true,false]',
    },
  },
  {
    file: 'src/stores/rules/ingest.ts',
    from: "known.binding === binding ? 'same_message' : 'reused'",
    to: "'same_message'",
    breaks: 'Another message under an id that was used is handled.',
    killedBy: { 'test/stores/rules/ingest.test.ts': 'claims an identity once: reused after' },
  },
  {
    file: 'src/stores/rules/ingest.ts',
    from: 'ran?.cause ?? (',
    to: '(',
    breaks: 'A message that was ingested anew is answered under the keys of its first run.',
    killedBy: {
      'test/stores/rules/ingest.test.ts': 'an item that ran before it was parked keeps its cause, and so its replies',
    },
  },
  {
    file: 'src/stores/rules/ingest.ts',
    from: "read === 'ingested' ? 'replace' : 'keep'",
    to: "'replace'",
    breaks: 'Parked items do not vanish if they are understood no better.',
    killedBy: { 'test/stores/rules/ingest.test.ts': 'keep: a delivery read as ignored,' },
  },
  {
    file: 'src/stores/rules/items.ts',
    from: 'settlement.blocksLane ? (settlement.at ?? 0) : 0',
    to: '0',
    breaks: 'What is left to another process keeps its place in its lane.',
    killedBy: { 'test/stores/rules/items.test.ts': 'settled as {"as":"released","completedHandlers":[],"at":' },
  },
  {
    file: 'src/stores/rules/items.ts',
    from: 'item.wasRunning && item.attempts >= SUSPICIOUS_ATTEMPTS',
    to: 'item.attempts >= SUSPICIOUS_ATTEMPTS',
    breaks: 'An item whose handlers failed is no suspect.',
    killedBy: { 'test/stores/rules/items.test.ts': 'an item found running twice by a dead process is a suspect' },
  },
  {
    file: 'src/stores/rules/items.ts',
    from: 'handledAt !== undefined && handledAt > at',
    to: 'handledAt !== undefined && handledAt >= at',
    breaks: 'Two messages of one moment: neither is late.',
    killedBy: {
      'test/stores/rules/items.test.ts': 'a message is late if one with a later payload time was handled before',
    },
  },
  {
    file: 'src/stores/rules/items.ts',
    from: 'attemptsTakenBack: 1',
    to: 'attemptsTakenBack: 0',
    breaks: 'An attempt that an orderly stop gives back does not count.',
    killedBy: { 'test/stores/rules/items.test.ts': 'settled as' },
  },
  {
    file: 'src/stores/rules/items.ts',
    from: 'settlement.blocksLane ? settlement.at : 0',
    to: '0',
    breaks: 'A short back-off blocks its lane.',
    killedBy: { 'test/stores/rules/items.test.ts': 'settled as' },
  },
  {
    file: 'src/stores/rules/lanes.ts',
    from: '&& blockedUntil === 0',
    to: '',
    breaks: 'A blocked lane does not go on.',
    killedBy: {
      'test/stores/rules/lanes.test.ts': 'a holder goes on, or releases the lane until its next work is ready',
    },
  },
  {
    file: 'src/stores/rules/lanes.ts',
    from: 'Math.max(nextAt > now ? nextAt : AT_ONCE, blockedUntil)',
    to: 'Math.max(nextAt, blockedUntil)',
    breaks: 'A clock that goes back makes nothing wait that was ready.',
    killedBy: {
      'test/stores/rules/lanes.test.ts': 'a holder goes on, or releases the lane until its next work is ready',
    },
  },
  {
    file: 'src/stores/rules/mutes.ts',
    from: "asked.since < known.since && asked.why !== 'handed_over'",
    to: 'false',
    breaks: 'A BOT that comes late does not undo what was said since.',
    killedBy: {
      'test/stores/rules/throttles-and-mutes.test.ts':
        'keeps the end of a mute, so that an older BOT that comes late changes nothing',
    },
  },
  {
    file: 'src/stores/rules/mutes.ts',
    from: 'return isShortened ? { ...asked, until: known.until } : asked',
    to: 'return asked',
    breaks: 'Of two reasons to be silent the longer one stands.',
    killedBy: { 'test/stores/rules/throttles-and-mutes.test.ts': 'a hand-over does not shorten the agent’s mute' },
  },
  {
    file: 'src/stores/rules/mutes.ts',
    from: 'mute.until > at',
    to: 'mute.until >= at',
    breaks: 'A mute ends at its time.',
    killedBy: {
      'test/stores/rules/throttles-and-mutes.test.ts':
        'keeps the end of a mute, so that an older BOT that comes late changes nothing',
    },
  },
  {
    file: 'src/stores/rules/send-settlement.ts',
    from: "resolution !== 'resend' || !send.withheld",
    to: 'true',
    breaks: 'A one-time code is never resent from disk.',
    killedBy: {
      'test/stores/rules/send-settlement.test.ts': 'says what a person may decide about a send that is refused',
    },
  },
  {
    file: 'src/stores/rules/send-settlement.ts',
    from: 'takesBackAttempt: true',
    to: 'takesBackAttempt: false',
    breaks: 'A stopped number uses up no attempts.',
    killedBy: { 'test/stores/rules/send-settlement.test.ts': 'settled as' },
  },
  {
    file: 'src/stores/rules/send-settlement.ts',
    from: "possiblyTwice || state === 'unknown' || heldFrom !== undefined",
    to: 'possiblyTwice',
    breaks: 'A send of unknown outcome that is sent again is marked.',
    killedBy: {
      'test/stores/rules/send-settlement.test.ts':
        'resends a send that is of unknown outcome: perhaps twice, without its fallback',
    },
  },
  {
    file: 'src/stores/rules/send-settlement.ts',
    from: "dropsFallback: via === 'freeform' && (state === 'unknown' || heldFrom === 'attempting')",
    to: 'dropsFallback: false',
    breaks: 'A text that may have arrived is not followed by its fallback.',
    killedBy: {
      'test/stores/rules/send-settlement.test.ts':
        'resends a send that is of unknown outcome: perhaps twice, without its fallback',
    },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: "if (known.customer !== asked.customer) return { found: 'known', diverged: true, marks: false }",
    to: '',
    breaks: 'A key is one message to one customer.',
    killedBy: { 'test/stores/rules/sends.test.ts': 'sends nothing to another customer under the key, refused or not' },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: "if (isSurelyNotSent(known.state)) return { found: 'reopened' }",
    to: '',
    breaks: 'What was refused goes out under its key with a mended body.',
    killedBy: {
      'test/stores/rules/sends.test.ts': 'opens a send that is refused again only if surely nothing was sent',
    },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: "state === 'refused' || state === 'skipped' || state === 'cancelled'",
    to: "state === 'refused' || state === 'skipped' || state === 'cancelled' || state === 'unknown'",
    breaks: 'A send of unknown outcome never takes another body.',
    killedBy: {
      'test/stores/rules/sends.test.ts': 'opens a send that is unknown again only if surely nothing was sent',
    },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: "if (cameBack) return { state: 'held', ...RESTORED }",
    to: '',
    breaks: 'What a restored backup may have answered before waits for a person.',
    killedBy: {
      'test/stores/rules/sends.test.ts':
        'a recorded send is held if its delivery came back with a backup, whatever else',
    },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: 'throttle?.stopped === true &&',
    to: 'false &&',
    breaks: 'A send of a stopped number is held with it.',
    killedBy: { 'test/stores/rules/sends.test.ts': 'a stopped number holds a send' },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: 'earlier.length < generations',
    to: 'earlier.length <= generations',
    breaks: 'At most three codes go out under one key.',
    killedBy: { 'test/stores/rules/sends.test.ts': 'one-time codes: after three none goes out' },
  },
  {
    file: 'src/stores/rules/throttles.ts',
    from: "throttle.closedUntil > now ? 'no' : 'probe'",
    to: "throttle.closedUntil > now ? 'no' : 'yes'",
    breaks: 'After an outage one send asks for all.',
    killedBy: { 'test/stores/rules/throttles-and-mutes.test.ts': 'a send may begin: probe' },
  },
  {
    file: 'src/stores/rules/throttles.ts',
    from: 'if (known?.stopped && !closing.stopped) return undefined',
    to: '',
    breaks: 'A pause does not end a stop.',
    killedBy: {
      'test/stores/rules/throttles-and-mutes.test.ts':
        'is not let go by the pause of a send that began before the stop',
    },
  },
  {
    file: 'src/stores/rules/bursts.ts',
    from: 'messages >= maxMessages',
    to: 'messages > maxMessages',
    breaks: 'A burst has no more messages than it may.',
    killedBy: { 'test/stores/rules/bursts.test.ts': 'a burst of at most three is full' },
  },
  {
    file: 'src/stores/rules/bursts.ts',
    from: 'Math.min(now + quietMs, since + maxMs)',
    to: 'now + quietMs',
    breaks: 'A customer who writes on is answered after the longest wait.',
    killedBy: {
      'test/stores/rules/bursts.test.ts': 'a burst is ready after',
    },
  },
  {
    file: 'src/stores/rules/bursts.ts',
    from: 'Math.min(now + quietMs, since + maxMs)',
    to: 'since + maxMs',
    breaks: 'A clock that goes back makes no burst wait.',
    killedBy: {
      'test/stores/rules/bursts.test.ts': 'a burst is ready after',
    },
  },
  {
    file: 'src/stores/rules/shapes.ts',
    from: 'lost: shape.truncated ? [] : ',
    to: 'lost: ',
    breaks: 'Of a shape that is cut, an absent path says nothing.',
    killedBy: { 'test/stores/sqlite.test.ts': 'tells of a shape once, whichever process saw it' },
  },
  {
    file: 'src/stores/rules/shapes.ts',
    from: 'oldest.lastAt < now - SHAPE_KEPT_MS',
    to: 'false',
    breaks: 'A shape that was not seen for long makes room.',
    killedBy: { 'test/stores/sqlite.test.ts': 'lets a shape that nobody saw for 90 days make room for a new one' },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: "(state === 'skipped' && code === 'stale')",
    to: "state === 'skipped'",
    breaks: 'A send that somebody took back is not told of.',
    killedBy: {
      'test/stores/rules/send-failures.test.ts': 'is told of if it failed, and not if somebody took it back',
    },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: " || state === 'lost_code'",
    to: '',
    breaks: 'A one-time code that was lost is told of.',
    killedBy: {
      'test/stores/rules/send-failures.test.ts': 'is told of if it failed, and not if somebody took it back',
    },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: "if (state === 'unknown' || state",
    to: 'if (state',
    breaks: 'A send whose outcome stays unknown is told of.',
    killedBy: { 'test/journeys/failed-sends.test.ts': 'is told of if its outcome stays unknown' },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: ' && awaitedUntil !== A_RERUN_ASKS',
    to: '',
    breaks: 'A failure of which a rerun hears is not told of too.',
    killedBy: { 'test/stores/rules/send-failures.test.ts': 'is not told of if a caller hears of it' },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: 'failed && !isAwaited',
    to: 'failed',
    breaks: 'A failure that the answer tells is not told of again.',
    killedBy: { 'test/journeys/failed-sends.test.ts': 'is heard of by the answer alone' },
  },
  {
    file: 'src/stores/rules/send-failures.ts',
    from: "if (now?.state !== told.state || now.settledAt !== told.settledAt) return 'over'",
    to: '',
    breaks: 'A send that was asked for again since is not told of.',
    killedBy: { 'test/journeys/failed-sends.test.ts': 'is not told of if the app asked for it again' },
  },
  {
    file: 'src/stores/rules/sends.ts',
    from: 'if (isSurelyClosed(facts)) return',
    to: 'if (false) return',
    breaks: 'A text whose window is surely closed is refused at once.',
    killedBy: { 'test/journeys/failed-sends.test.ts': 'is refused when it is recorded, and asked of nobody' },
  },
  {
    file: 'src/stores/rules/throttles.ts',
    from: 'if (changed && known.closedUntil > OPEN && !closing.stopped) return undefined',
    to: '',
    breaks: 'Trouble that attempts of two processes met at once is one trouble.',
    killedBy: { 'test/stores/sqlite.test.ts': 'no attempt of another process that began before it shortens it' },
  },
] satisfies Mutant[]
