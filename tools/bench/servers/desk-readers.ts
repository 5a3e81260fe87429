/**
 * Open desks, each with its stream and a chat: told a number, it opens or closes as many. They ask what pages ask: lists
 * and chats at first, the list again each minute, and every 20 s who is there.
 */
import { request } from 'node:http'

const [, , port] = process.argv
const HELLO = 'event: hello'
let close: (() => void)[] = []

process.on('message', (count: number) => void change(count).then(() => process.send?.('done')))
process.send?.('ready')

async function change(count: number): Promise<void> {
  for (const one of close) one()
  close = []
  for (let nth = 0; nth < count; nth++) close.push(await openDesk(nth, count))
}

interface Page {
  readonly rows: readonly { readonly customer: string }[]
}

async function openDesk(nth: number, count: number): Promise<() => void> {
  const headers = { 'x-who': `person-${nth}` }
  const stream = request({ port, path: '/desk/api/stream', headers })
  await new Promise<void>((opened, failed) => {
    stream.on('error', failed).on('response', (answer) => {
      if (answer.statusCode !== 200) return failed(new Error(`a stream was answered ${answer.statusCode}`))
      return answer.on('data', (chunk: Buffer) => void (chunk.includes(HELLO) && opened())).on('error', () => {})
    })
    stream.end()
  })
  const { rows } = await ask<Page>(headers, 'queue?list=recent&limit=200')
  const customer = rows[Math.floor((nth * rows.length) / count)]?.customer
  if (customer !== undefined) await ask(headers, 'visit', { customer })
  // Not all at once.
  const part = nth / count
  const timers = [
    every(60_000, part, () => void ask(headers, 'queue?list=waiting')),
    every(20_000, part, () => void ask(headers, 'presence', { customer })),
  ]
  return () => {
    for (const stop of timers) stop()
    stream.destroy()
  }
}

function every(ms: number, part: number, run: () => void): () => void {
  let timer = setTimeout(function again() {
    run()
    timer = setTimeout(again, ms)
  }, ms * part)
  return () => clearTimeout(timer)
}

async function ask<T>(headers: Record<string, string>, path: string, body?: object): Promise<T> {
  const post = body && {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-switchhook-admin': '1' },
    body: JSON.stringify(body),
  }
  const answer = await fetch(`http://127.0.0.1:${port}/desk/api/${path}`, post ?? { headers })
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`)
  return (await answer.json()) as T
}
