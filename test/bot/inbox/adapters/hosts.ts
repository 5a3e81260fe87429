import type { RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import express from 'express'
import { onTestFinished } from 'vitest'
import type { AnyBot } from 'switchhook'
import { webhook } from 'switchhook/express'
import { webhook as receiver } from 'switchhook/fetch'
import { serve, webhook as listener } from 'switchhook/node'
import { botOn } from '../bot.ts'
import { headersOf, MESSAGE } from '../signing.ts'
import { ask, listenOn } from './http.ts'

export const PATH = '/webhooks/messages'

/** Every adapter over HTTP: each starts a bot behind it and resolves with the port. */
export const HOSTS: Readonly<Record<string, (bot: AnyBot & { start(): Promise<void> }) => Promise<number>>> = {
  async 'switchhook/express'(bot) {
    await bot.start()
    return (await listenOn(express().use(PATH, webhook(bot)))).port
  },
  async 'switchhook/node'(bot) {
    const served = await serve(bot, { port: 0 })
    onTestFinished(() => served.close())
    return Number(new URL(served.url).port)
  },
  async 'switchhook/node in a server of the app'(bot) {
    await bot.start()
    return (await listenOn(listener(bot))).port
  },
  async 'switchhook/fetch over node:http'(bot) {
    await bot.start()
    return (await listenOn(overNode(receiver(bot)))).port
  },
}

type App = ReturnType<typeof express>

/** A started bot in an app of Express, which `wire` builds. */
export async function appOn(
  wire: (app: App, hook: ReturnType<typeof webhook>) => unknown,
  { make = express, ...o }: Parameters<typeof botOn>[0] & { make?: () => App } = {},
) {
  const on = botOn(o)
  await on.bot.start()
  const app = make()
  wire(app, webhook(on.bot))
  const { port, sockets } = await listenOn(app)
  const post = (path: string = PATH, { body = MESSAGE, ...more }: Parameters<typeof ask>[2] = {}) =>
    ask(port, path, { ...more, body, headers: { ...headersOf(body), ...more.headers } })
  return { ...on, port, sockets, post }
}

/** Makes a fetch `Request` as the bridges of frameworks do: the body as a web stream, the headers as they came. */
export function overNode(handle: (request: Request) => Promise<Response>): RequestListener {
  return (incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    const bodiless = method === 'GET' || method === 'HEAD'
    const body = bodiless ? null : Readable.toWeb(incoming)
    const request = new Request(`http://localhost${url}`, { method, headers, body, duplex: 'half' } as never)
    handle(request).then(
      async (response) => {
        const bytes = Buffer.from(await response.arrayBuffer())
        outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': bytes.length })
        outgoing.end(bytes)
      },
      (error: unknown) => outgoing.destroy(error as Error),
    )
  }
}
