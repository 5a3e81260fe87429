/**
 * Do the promises hold when things go wrong? One conversation over real HTTP, emulator and app as processes of their
 * own. Exits with 1 if a promise does not hold.
 */
import { styleText } from 'node:util'
import { openStage, settled, type Shown, type Stage, until } from './stage.ts'
import { openTroupe } from './troupe.ts'

const ASHA = '255712000101'
const failures: string[] = []

const troupe = openTroupe()
let stage: Stage
try {
  stage = await openStage(troupe)
  await textAndReply(stage)
  await tappedButton(stage)
  const deliveryId = await threeTimesOneReply(stage)
  await capturedUnderAnotherId(stage, deliveryId)
  await refused(stage, deliveryId)
  await outsideTheWindow(stage)
  await failsAfterItsReply(stage)
  await killedAfterTheAnswer(stage)
  await answerCutOff(stage)
} finally {
  await troupe.close()
}

console.log(
  failures.length === 0
    ? styleText('green', '\nEvery promise held.')
    : styleText('red', `\nNot held: ${failures.join('; ')}`),
)
process.exitCode = failures.length === 0 ? 0 : 1

async function textAndReply({ says }: Stage) {
  scene('A customer writes, and one reply arrives')
  await says(ASHA, 'hours')
  await hears('hours', 'We are open from 9 to 17.')
}

async function tappedButton({ says, taps, thread }: Stage) {
  scene('A button comes, and is tapped')
  await says(ASHA, 'hello')
  await hears('hello', 'How can we help?')
  const option = (await thread(ASHA)).at(-1)?.interactive?.buttons?.[0]
  check(option?.id === 'track', `the message offers "${option?.title}"`)
  await taps(ASHA, 'track')
  await hears('[Track order]', 'Order 7781 is being packed.')
}

async function threeTimesOneReply({ says, redeliver, delivery, runs }: Stage): Promise<string> {
  scene('The service tells one message three times: at least once is its promise')
  const before = await countOf('We are open from 9 to 17.')
  const ran = runs('hours')
  const [id = ''] = (await says(ASHA, 'hours')).deliveryIds
  await hears('hours', 'We are open from 9 to 17.', before + 1)
  const second = await redeliver(id, {})
  const third = await redeliver(id, {})
  check(second.status === 200 && third.status === 200, 'each is acknowledged with 200')
  const bodies = (await delivery(id))?.attempts.map((attempt) => attempt.response?.body ?? '')
  told(`the app answered ${bodies?.join('  ')}`)
  await settled()
  check(runs('hours') === ran + 1, 'its handler ran once')
  check((await countOf('We are open from 9 to 17.')) === before + 1, 'one reply')
  return id
}

async function refused({ redeliver, runs }: Stage, id: string) {
  scene('Somebody forges, and somebody repeats what is too old or from the future')
  const before = await countAll()
  const ran = runs('hours')
  for (const [what, how] of [
    ['a forged signature', { tamper: 'signature' }],
    ['an altered body', { tamper: 'body' }],
    ['signed 301 seconds ago', { timestampOffset: '-301s' }],
    ['signed 302 seconds ahead', { timestampOffset: '302s' }],
  ] as const)
    check((await redeliver(id, how)).status === 401, `${what}: 401`)
  await settled()
  check((await countAll()) === before && runs('hours') === ran, 'nothing was handled')
}

async function capturedUnderAnotherId({ redeliver, runs }: Stage, id: string) {
  scene('A captured delivery comes again under another id: the id is not signed, the bytes are')
  const before = await countAll()
  const ran = runs('hours')
  const again = await redeliver(id, { exact: true, deliveryId: '01J00000000000000000000000' })
  check(again.status === 200, 'acknowledged: an error would count towards the endpoint being disabled')
  await settled()
  check((await countAll()) === before && runs('hours') === ran, 'and without effect')
}

async function outsideTheWindow({ control, url, thread }: Stage) {
  scene('25 hours later an order is ready, and a text may no longer be sent')
  await control('POST', 'templates', { name: 'order_ready', language: 'en', body: 'Your order {{1}} is ready.' })
  await control('POST', 'clock', { advance: '25h' })
  const response = await fetch(`${url}/orders/7781/ready`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer: ASHA }),
  })
  const { via } = (await response.json()) as { via: string }
  check(via === 'template', `bot.to(…).send('Order 7781 is ready.') went out via ${via}`)
  const items = await thread(ASHA)
  const ghost = items.find((item) => item.refused)
  if (ghost) told(`the service refused "${ghost.text}": ${ghost.refused?.status} ${ghost.refused?.code}`)
  const last = items.findLast((item) => item.direction === 'OUTBOUND' && !item.refused)
  show(last)
  check(last?.template?.name === 'order_ready', 'the template arrived instead')
  check((await countOf('Order 7781 is ready.')) === 0, 'and the text did not')
}

async function failsAfterItsReply({ says, runs }: Stage) {
  scene('A handler replies, then fails, and is run again')
  await says(ASHA, 'price')
  await hears('price', 'The shoes are 45,000.')
  check(await until(() => runs('price') === 2), 'the handler ran twice')
  await settled()
  check((await countOf('The shoes are 45,000.')) === 1, 'one reply')
}

async function killedAfterTheAnswer({ says, delivery, runs, kill, startApp }: Stage) {
  scene('The app is killed right after it acknowledged, and started again')
  const [id = ''] = (await says(ASHA, 'are you there')).deliveryIds
  check(await until(async () => (await delivery(id))?.attempts.at(-1)?.status === 200), 'acknowledged')
  check(await until(() => runs('are you there') === 1), 'its handler has begun')
  await kill()
  told('SIGKILL')
  check((await countOf('Yes, here we are.')) === 0, 'no reply yet')
  await startApp()
  await hears('are you there', 'Yes, here we are.')
  await settled()
  check((await countOf('Yes, here we are.')) === 1, 'one reply')
}

async function answerCutOff({ says, control }: Stage) {
  scene('The service accepts a send, and its answer is lost on the way back')
  const before = await countOf('We are open from 9 to 17.')
  await control('PUT', 'faults', { rules: [{ on: 'send', do: 'lose_answer', next: 1 }] })
  await says(ASHA, 'hours')
  await hears('hours', 'We are open from 9 to 17.', before + 1)
  const { rules } = await control<{ rules: { left?: number }[] }>('GET', 'faults')
  check(!rules.some((rule) => (rule.left ?? 0) > 0), 'the connection was cut after acceptance')
  // The repeat comes within two seconds.
  await settled(2_400)
  check(
    (await countOf('We are open from 9 to 17.')) === before + 1,
    'repeated with the same key: one message on the phone',
  )
}

function scene(title: string): void {
  console.log(`\n${styleText('bold', title)}`)
}

function told(line: string): void {
  console.log(styleText('dim', `  ${line}`))
}

/** Waits until a reply is on the customer's phone, so many times. */
async function hears(wrote: string, reply: string, times = 1): Promise<void> {
  console.log(`  ${styleText('cyan', 'Asha')}  ${wrote}`)
  const came = await until(async () => (await countOf(reply)) >= times)
  if (came) show((await stage.thread(ASHA)).findLast((item) => item.text === reply))
  check(came && (await countOf(reply)) === times, came ? 'one reply' : `the reply "${reply}"`)
}

function show(item: Shown | undefined): void {
  if (!item) return
  const how = item.template ? ` (template ${item.template.name})` : ''
  console.log(`  ${styleText('yellow', 'Shop')}  ${item.text}${how}`)
  for (const option of item.interactive?.buttons ?? []) console.log(`        [${option.title}]`)
}

function check(holds: boolean, what: string): void {
  console.log(holds ? styleText('green', `  ok    ${what}`) : styleText('red', `  NOT   ${what}`))
  if (!holds) failures.push(what)
}

async function countOf(text: string): Promise<number> {
  const items = await stage.thread(ASHA)
  return items.filter((item) => item.direction === 'OUTBOUND' && !item.refused && item.text === text).length
}

async function countAll(): Promise<number> {
  return (await stage.thread(ASHA)).length
}
