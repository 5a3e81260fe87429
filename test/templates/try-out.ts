import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from '../kit/cli/support.ts'
import { freePort } from '../support/free-port.ts'

/** The first message to each template's bot, and the answer. */
export const FIRST_WORDS = {
  'auto-reply': { says: 'hours', answer: 'We are open from 9 to 17, Monday to Saturday.' },
  'support-desk': { says: 'saa', answer: 'We are open Monday to Friday from 9 to 17, Saturday from 9 to 13.' },
  'existing-app': { says: '7781', answer: 'Order 7781: packing.' },
} as const

export type Template = keyof typeof FIRST_WORDS

export const TEMPLATES = Object.keys(FIRST_WORDS) as Template[]

const LONGEST_MS = 60_000
const BETWEEN_MS = 50

interface Note {
  readonly url: string
  readonly controlToken: string
  readonly pid: number
}

/** Runs a project by `npm run dev`, writes as a customer, and resolves with the answer on the phone. */
export async function answerOf(
  folder: string,
  template: Template,
  environment: Record<string, string>,
): Promise<string | undefined> {
  const port = await freePort()
  onPorts(join(folder, 'package.json'), port)
  const dev = run('npm', ['run', 'dev'], { ...environment, PORT: String(port) }, folder)
  try {
    await dev.heard('stderr', /listens at http/)
    const note = JSON.parse(readFileSync(join(folder, '.switchhook/dev.json'), 'utf8')) as Note
    const answer = await converse(note, FIRST_WORDS[template].says)
    // npm gets no signal: it ends with the emulator's process.
    process.kill(note.pid, 'SIGTERM')
    const { code, stderr } = await dev.ended
    if (code !== 0) throw new Error(`npm run dev in ${folder} ended with ${code}:\n${stderr}`)
    return answer
  } finally {
    await dev[Symbol.asyncDispose]()
  }
}

/** Changes only the ports of the script, since other programs on this machine may use the default ones. */
function onPorts(file: string, port: number): void {
  const webhook = `http://127.0.0.1:${port}/webhooks/messages`
  const given = readFileSync(file, 'utf8')
  writeFileSync(file, given.replace('switchhook dev --', `switchhook dev --port 0 --webhook ${webhook} --`))
}

async function converse({ url, controlToken }: Note, text: string): Promise<string | undefined> {
  const asha = `${url}/_emulator/customers/255712000101`
  const headers = { authorization: `Bearer ${controlToken}`, 'content-type': 'application/json' }
  await fetch(`${asha}/messages`, { method: 'POST', headers, body: JSON.stringify({ text }) })
  const until = performance.now() + LONGEST_MS
  while (performance.now() < until) {
    const { items } = (await (await fetch(`${asha}/thread`, { headers })).json()) as {
      items: { direction: string; text: string }[]
    }
    const answer = items.find(({ direction }) => direction === 'OUTBOUND')
    if (answer) return answer.text
    await wait(BETWEEN_MS)
  }
  return undefined
}
