/**
 * The register of promises that were broken once, or that users were missing: the planted fault in `test/mutants/` that
 * has a promise's id names the test that holds it. No repair goes unnoticed when code is cut. An id is never used for
 * another promise.
 */
export const PROMISES: Readonly<Record<string, string>> = {
  'FIT-1': 'The package loads under Jest as it comes, and two builds in one process know each other’s errors and bots.',
  'FIT-2': 'TypeScript finds the types with every module resolution, in CommonJS too.',

  'FIELD-1':
    'What nobody wrote, such as a reaction, an edit or a call, reaches only the route of its kind, and a message that was not understood is parked.',
  'FIELD-2':
    'A stop word unsubscribes however it is spelt, in every situation and from the commit that reads it, and nothing else does.',
  'FIELD-3':
    'Words match as people type them, unless they are exact; in a burst a choice takes the last message that fits.',
  'FIELD-4':
    'By a rule of the app, two spellings of a phone number are one customer everywhere, and a message goes to the spelling in which the customer last wrote.',
  'FIELD-5': 'A number may be pasted, and what is wrong with it is shown by its code points.',
  'FIELD-7':
    'A text that is too long goes out in parts, all or in order up to the first that fails, and never twice; labels can be cut.',
  'FIELD-6':
    'A tap names the message that it belongs to: a second quick tap answers no other question, and of buttons with `once` only the first counts.',
  'FIELD-8':
    'A text, title or caption that nobody can see is refused like a blank one, and so are two buttons of one title.',
  'FIELD-9':
    'A template parameter that would be refused, or does not fit, is an error that names it before anything is sent.',
  'FIELD-11':
    'The number’s own message is never answered; the customer’s name and the app’s own facts are in the context, and masked elsewhere.',
  'FIELD-12': 'With a limit for each customer two bots that answer each other come to an end, and nothing is lost.',
  'FIELD-13':
    'A person who writes in the dashboard has the customer at once, or the next reply waits for five seconds until that is known.',
  'FIELD-10': 'Another time under a key of the app’s moves a message that has not begun, and says so if it has.',
  'FIELD-14': 'The error of the test kit for a customer with a hidden number names that cause.',
  'CAMPAIGN-1': 'Whether an error concerns one recipient or all is learnt: nobody fails by an error that concerns all.',
  'CAMPAIGN-2':
    'Each recipient has a result: waiting, sent, delivered, read, failed, skipped or unknown, with reason and time.',
  'CAMPAIGN-3': 'A campaign can be finished under its key, and a customer who has the message never gets it twice.',
  'CAMPAIGN-4': 'Messages go out in the hours of each recipient’s zone alone.',
  'CAMPAIGN-5': 'Lists are rows as people have them, and bad rows are found before anything goes out.',
  'CAMPAIGN-6': 'The command line shows, pauses, resumes, cancels, retries and exports announcements.',
  'CAMPAIGN-7':
    'The admin page shows one announcement with its recipients, retries and exports it, within rights and numbers, and masks what it shows.',
  'CAMPAIGN-8':
    'Metrics count what waits for a person, by number, so an alert ends when nothing waits; backups have an age, and the log names traces.',
  'CAMPAIGN-9':
    'The overview shows how the last day and week went, read once a minute from a bounded number of rows, and to a tenant their own.',
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
  'GROW-1': 'It is known whether a commit without an answer landed, also after a failover, and it cannot land later.',
  'GROW-2': 'Over PostgreSQL a process that looks for work stops no other one unless there is some.',
  'GROW-3': 'A status that is recorded at the same time as the answer to its send is shown with the send, and kept.',
  'GROW-4': 'Of two processes that claim one key at the same time the slower one repeats, and finds the claim.',
  'GROW-5': 'What a transaction reads is what the one before it has committed, once it has its customers.',
  'GROW-6': 'The ids of one customer rise with their commits, whichever processes store them.',
  'GROW-7': 'The row of a customer that was only locked is no customer anywhere.',
  'GROW-8': 'A transaction that waits to be alone keeps others waiting for 150 ms at most, and tries again.',
  'GROW-9': 'A process that stands still in a transaction keeps its own customers waiting, and no others.',
  'GROW-10': 'An item that names no customer takes none.',
  'GROW-11': 'No operation of an ordinary conversation is alone over all processes.',
  'GROW-12': 'Several processes may meet at the first start over an empty PostgreSQL database.',
  'GROW-SERVERS': 'A server that accepts locks of tables or rows and does not hold them is refused at the start.',
  'GROW-TRIPS': 'A group of deliveries and settlements takes two round trips over PostgreSQL.',
  'GUARD-1': 'No notification of another role of a PostgreSQL database, or of a newer release, ends a process.',
  'GUARD-2':
    'Only a role with rights to the bot’s tables can hold the lock of the writers, a start proves that it excludes, and no other lock is used beside it.',
  'GUARD-11':
    'The schema and its tables belong to the bot, to those who rule the database, or to a role that the app trusts by name.',
  'GUARD-13':
    'What looks like the address of a server and is none is refused without its value, and never becomes a file.',
  'LOST-1': 'A list of messages of any name is split, or its delivery is parked with a reason that names the list.',
  'READ-1': 'A payload’s own words for kinds and statuses reach their routes, and an unknown one raises an alarm.',
  'READ-2': 'A scenario with fixtures fails a turn for which no fixture has a place, and names what is missing.',
  'READ-3': '`payload report` prints paths that the option facts accepts, unknown words, and what functions returned.',
  'GUARD-7': 'No content of a signed delivery is answered with an error: what no table can store is quarantined.',
  'GUARD-9': 'Many small parts or many members of one object cost a delivery no more than others.',
  'LOST-3': 'Once a customer is forgotten, none of their messages that waited is handled, answered or exported.',
  'LOST-9':
    'A clock that was or is ahead refuses no text as outside the window, gives up no message, and is reported once.',
  'LOST-11': 'A forgotten customer is entered into no conversation, and no question stays behind.',
  'GUARD-17': 'A send whose request was never made does not end as unknown.',
  'LOST-7':
    'A genuine delivery at a path that the bot does not serve is reported with the right path, and counts as failed.',
  'GUARD-6': 'Made-up names do not delay a number that has deliveries in the database.',
  'GUARD-5':
    'A forgery at an endpoint of many numbers leaves turns to other work, and is explained once for a line of the log.',
  'GUARD-9-parts': 'The parts of a body are joined as they arrive: one byte in each takes the room of its bytes.',
  'GUARD-19':
    'After the drain, serve() ends the process if nobody else listens for the signal, and otherwise logs what keeps it.',
  'GUARD-22': 'serve() keeps idle connections longer than balancers do.',
  'GUARD-22-deploy':
    'The deploy of docs/production.md waits until a restarted process is healthy: no delivery gets 502.',
  'GUARD-20': 'The recipe for Nest receives every delivery, and the forms of the app still arrive.',
  'LOST-2': 'What a commit has begun runs, whatever an app, a library, a report, a hook, a span or a logger throws.',
  'LOST-6': 'A logger that rejects is reported once on stderr, and ends no process.',
  'ROOM-1': 'Room for a lane is reserved before the commit that may begin it, and is free again if it began nothing.',
  'ROOM-2': 'A lane holds no room while its last work is settled.',
  'ROOM-4': 'A message that arrives in the turn in which other work ends finds its room.',
  'ROOM-3': 'A claim leaves room to what arrives, unless older work is known to wait.',
  'LOST-8':
    'Work that is marked as running and does not run begins again within minutes, and an alarm reports it as a bug.',
  'GUARD-8':
    'A captured delivery counts once as a failure, a day later not at all, and calls the hook `alarm` no more often than the log writes it.',
  'GUARD-21':
    'Loggers that take the message first, or print no errors, write whole lines: winston, bunyan, pino, log4js, console.',
  'GUARD-3': 'A status or an event of one number concerns messages of that number alone, whatever id it names.',
  'GUARD-4': 'Deliveries of one number that wait to be read hold back the messages of that number alone.',
  'GUARD-10': 'No order and no cursor of a list on the admin page compares numbers that are masked.',
  'GUARD-12': 'A person limited to some numbers gets one answer for what others have and for what does not exist.',
  'GUARD-15':
    'No one-time code is stored while the list of templates cannot be read, or shown because an answer encodes it.',
  'FIT-5': 'A database password with a raw #, ? or / is refused with the advice to percent-encode it, and not shown.',
  'FIT-6': 'A driver without its native part is named with the platform and the fix, and no file is blamed.',
  'FIT-9':
    'Command line and log say what is so: paths and databases as typed, no count that is gone, no name that never matches, no note at each start, nothing left behind.',
  'FIT-10': 'A change of the admin page that a proxy spoils is refused with the header that differs.',
  'FIT-11': 'The timeline says why a delivery is repeated after a jump of the clock.',
  'FIT-3': 'Koa, Nest, Hono, a route handler of Next and a Lambda function mount the bot as their examples do.',
  'FIT-7': 'The default template has a conversation in a file of handlers.',
  'FIT-8': 'The guide shows a list with sections.',
  'FIT-12': 'A unit of systemd has started when its bot stores deliveries.',
  'FIT-13': 'Each page of the site is Markdown at one address, which llms.txt names.',
  'FIT-4': 'A value that JSON would change is refused with its path, in a session and as a result of once.',
  'DESK-1':
    'No answer of a person goes out over a message of the customer or a colleague that its writer has not seen.',
  'DESK-2':
    'A customer who waits for a person waits through ends of take-overs, restarts and pruning until a person acts.',
  'DESK-3':
    'A person’s message that was refused, is unknown or fails later brings its customer back with the time of before.',
  'DESK-4': 'If a process is killed while a person sends, one message goes out, and the customer waits or is answered.',
  'DESK-5': 'A handler that asks for a person has its customer wait, once, while the bot continues.',
  'DESK-6': 'A person can give back what waits: the bot answers it once, as a burst, without stop words.',
  'DESK-7': 'A person who may write to customers may read them, or is refused with the reason.',
  'DESK-8': 'A tenant sees its own announcements and its own record, and changes no other.',
  'DESK-9': 'The overview counts customers who wait for a person and announcements that an error has paused.',
  'DESK-10':
    'An open desk learns within a second what it may see, and ends within a minute for whom authorize refuses.',
  'DESK-11': 'The record has one reading for each visit to a customer, with the count and the span of the messages.',
  'DESK-12': 'Notes are for people alone, and are erased with their customer.',
  'DESK-20': 'An open chat shows each message once and in order, and reads again where one may be missing.',
  'DESK-21': 'What others wrote counts as seen only after it was in sight of a visible page.',
  'DESK-22': 'A draft survives a reload with the key of its message, and is gone for the next person.',
  'DESK-23': 'A list of the desk has who waits the longest first, and loses who was answered, without a new reading.',
  'DESK-24': 'All texts of the desk are in one file for each language, and the app’s own come first.',
  'DESK-25': 'The desk shows minutes and 10:32, by the language.',
  'DESK-26': 'What happens between the reading of the desk’s page and the first look of its stream is shown.',
  'DESK-27': 'The desk is worked at by keyboard alone, from finding a customer to giving them back.',
  'DESK-28': 'The desk is used with one thumb at 390 px, in light and dark, with the field always in sight.',
  'DESK-29': 'The window of an open chat closes by the clock of the service, and templates have a preview.',
  'DESK-30': 'Tabs of one browser share one stream, and the next tab has it when the first one closes.',
  'DESK-31': 'No message is missing and none is shown twice at two desks while the bot restarts.',
  'DESK-32': 'A page shows a person nothing that they may not use.',
  'DESK-34': 'The desk is silent until a person asks for a sound or notifications, which tell no words.',
  'DESK-45': 'A refusal at the desk is a code, for which the page has words in each language.',
  'DESK-46': 'A message of any kind that did not arrive can be sent again as it was, once, to its customer alone.',
  'DESK-47': 'The header, the title and the home screen name the bot.',
  'DESK-48': 'A customer who waits is listed with their own last words, and not with the bot’s confirmation.',
  'DESK-49': 'Who dismisses a chat after having read the new messages dismisses those too.',
  'DESK-50': 'After each act at the desk the focus stays in the chat.',
  'DESK-51': 'A desk that does not open says why.',
  'DESK-52': 'Each state of the desk is accessible and fits at 1440 and 390 px, in both themes and from right to left.',
  'DESK-53': 'A browser that leaves before its answer ends nothing but that answer.',
  'DESK-40':
    'The support-desk template lets in who knows their password, in a cookie of the browser, for no other site.',
  'DESK-41': 'Who was removed, has a new password or has signed out loses the desk within a minute, with their stream.',
  'DESK-42': 'Passwords of a name cannot be tried often, and the name works again a minute later.',
  'DESK-43': 'The template does not start without its own secret, nor for customers with the example people.',
  'DESK-44':
    'Who asks for a person out of hours waits at the desk of the template, and phone and desk stand side by side.',
  'DESK-56': 'A page of the desk that is open all day keeps no more rows and lines than it shows.',
  'DESK-57':
    'However many desks are open, a process asks one question a second, reads and writes a change once, and asks nothing without a desk.',
  'DESK-58': 'A stream misses nobody, however many customers write in a second.',
  'DESK-59':
    'Of 200 messages of a customer and two people, each is in both browsers once, and none went out over an unseen one unasked.',
  'DESK-60': 'No route and no act of the desk gives a person, a number or another site what is not theirs.',
  'DESK-61': 'A browser has at most four streams, and 20 are open under one name.',
  'DESK-62': 'Nothing runs that stands in a name, a message, a note, a ready answer or the name of a file.',
  'DESK-63': 'A page is up to date behind a proxy that keeps streams back, and after a sleep.',
  'DESK-64': 'Who opens the desk with rights that do not fit reads why in words.',
  'DESK-65': 'A home screen that takes no SVG shows the icon of the desk.',
  'DESK-66': 'The first words of the desk are in its language, before any answer and without one.',
  'DESK-67': 'The desk looks again when a rest of the bot or a snooze ends.',
  'DESK-68': 'A search that was typed has a button.',
  'DESK-69': 'A failed message is sent again once, also when two people ask for it.',
  'DESK-70': 'A list of the desk has the beginning of a long text: each change goes to every desk.',
  'DESK-71': 'A check for many desks works for a millisecond and rests, so that answers to deliveries need not wait.',
  'DESK-72': 'Who opens the desk or the admin page while `authorize` throws reads a sentence, not JSON.',
  'DESK-33': 'The admin page leads to the desk, and answers no customer itself.',
  'GROW-20':
    'Whatever two processes do over PostgreSQL at one time leaves what some order of them leaves, wherever one is held.',
  'GROW-21': 'What belongs to a customer whom another process has waits until that one has committed.',
  'GROW-22': 'Who watches a desk misses nothing that was under way at the last check, once it is committed.',
  'GROW-23': 'A failure of what a person wrote makes the customer wait, also beside the answer to its send.',
  'HOUSE-5': 'Each fact of a payload has one table of places, read by their ranks.',
  'HOUSE-6':
    'A new kind, content or event does not compile until each place that shows, sends, stores or plays it has a row.',
  'HOUSE-7':
    'A built-in feature is taken out by removing its folder and its lines in the lists: nothing else needs it.',
  'HOUSE-8':
    'What a built-in feature does when a message is recorded, and a customer forgotten or pruned, is part of that commit.',
  'HOUSE-16':
    'Items that are handled as one begin, are set aside, retried and ended together, for whatever reason they are.',
  'HOUSE-17':
    'What a feature gathers enters its lane once it is due and the lane is free, or when something else enters behind it.',
  'HOUSE-18': 'An option that a built-in feature gives bots or routes is checked, and does what it says.',
  'HOUSE-9': 'After a copy into PostgreSQL each table that counts its rows counts on behind those that came.',
  'HOUSE-10':
    'What only a process had in its memory, such as a one-time code, is lost in the commit that declares it dead.',
  'HOUSE-11': 'A content of a kind that a feature sends is sent by that feature, whether an app or a handler sends it.',
  'HOUSE-12': 'A send that is under way in no lane keeps a stop waiting, as others do.',
  'HOUSE-19':
    'A wait for a person begins, ends or comes back in the commit of what caused it, through the list of features.',
  'HOUSE-20': 'A method that a built-in feature adds to the context of a message is an effect of its attempt.',
  'HOUSE-21':
    'Built-in features with effects in one commit leave the same in any order, except pairs that a test names.',
  'HOUSE-22': 'An operation that uses the indexes of a history makes them at its first call, whichever feature has it.',
  'HOUSE-23':
    'What a feature adds to the row of a customer is merged, kept and pruned with the row, and not before it is over.',
  'HOUSE-24':
    'While a feature has the bot silent to a customer, timers wait, replies are skipped and only its own routes run.',
  'HOUSE-25':
    'A method that a built-in feature adds to the handle of a customer is an effect of the attempt that has it.',
  'HOUSE-26': 'The silence that a message asks for begins in the commit that reads the message, before any handler.',
  'HOUSE-27': 'A list with a place for one built-in feature refuses a second one.',
  'HOUSE-13':
    'What a script did is part of the commit that settles its item; so is its part of a take-over, a forget and a pruning.',
  'HOUSE-14': 'A message goes to an open question before the routes, and the items of a feature go to its own runner.',
  'HOUSE-15': 'The admin page lists, shows and ends what a built-in feature has, by the part of that feature.',
  'GROW-30': 'Over PostgreSQL nobody waits while pruning searches millions of rows for old ones.',
  'GROW-31': 'A customer who writes between the search of a pruning and the removal stays.',
  'GROW-32': 'A status that arrived beside the answer to its send is never dropped as an unknown one.',
  'GROW-33':
    'The reply to messages that are pruned in one transaction goes with them, and stays while another may ask for it.',
  'GROW-34': 'Maintenance asks for more rows in each round trip of a portion, which ends after a measured time.',
  'GROW-36':
    'The torture over PostgreSQL notices a lost status, session, take-over, opt-out or recipient, and each deadlock.',
  'GROW-35': 'A forget takes the same round trips, however many sends wait for their time.',
  'GROW-37': 'A delivery that was taken for new and is a repeat is found to be one, and its group is repeated.',
  'GROW-38': 'What a transaction knows of a lane beforehand is read once it has the customer, and used once.',
  'GROW-39':
    'A settlement of an item that was freed meanwhile changes nothing, also where its answer is not waited for.',
  'GROW-41': 'What is behind in a lane begins in two round trips more, and a lane with nothing behind is not searched.',
  'GROW-42': 'A few messages of one customer do not keep a whole group for their round trips.',
  'GROW-43': 'Statuses of many messages are stored and reported together, though each payload names one id.',
  'GROW-44': 'A status finds its send though the answer to it is committed in the same group.',
  'GROW-40': 'An opt-out that comes between the claim of marketing and its first byte counts.',
}

/** Promises about files that no module loads, such as a recipe or a built page: the test file that holds them, and its title. */
export const WITHOUT_FAULT: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'GUARD-22-deploy': ['test/ops/deploy.test.ts', 'restarts both processes, the backup first'],
  'GUARD-20': ['test/bot/inbox/adapters/nest.test.ts', 'passes the conformance checks'],
  'HOUSE-6': ['test/service/new-kind.test.ts', 'wherever a customer’s message of its kind is shown or played'],
  'HOUSE-7': [
    'test/features/taken-out.test.ts',
    'compile: nothing but its own entry point or its lines in the lists need it',
  ],
  'FIT-2': ['test/templates/other-runners.ts', 'moduleResolution'],
  'FIT-3': ['test/examples/mounting.test.ts', 'answers its customer, and leaves the app its routes'],
  'FIT-7': ['templates/auto-reply/test/bot.test.ts', 'asks when to call'],
  'FIT-8': ['test/docs.test.ts', 'the docs’ code compiles unchanged, in an app that has the rest'],
  'FIT-12': ['test/ops/containers.test.ts', 'has started when /health answers 200, and not before'],
  'DESK-62': ['test/pages/desk/walk-load.test.ts', 'runs nothing that stands in a name'],
  'DESK-63': ['test/pages/desk/walk-load.test.ts', 'is up to date behind a proxy that keeps streams back'],
  'FIT-13': ['test/site/site.test.ts', 'are each Markdown at one address, which the list for language models names'],
}
