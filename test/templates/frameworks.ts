/** The packed package in the frameworks that apps have, each installed from the registry: `switchhook verify` passes in full. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../kit/cli/support.ts'
import { succeeds } from './packed.ts'

const PACKAGES = [
  'express@5.3.0',
  'express4@npm:express@4.22.3',
  'fastify@5.12.8',
  'koa@3.3.0',
  'hono@4.13.19',
  '@hono/node-server@2.1.8',
  '@nestjs/common@12.5.1',
  '@nestjs/core@12.5.1',
  '@nestjs/platform-express@12.5.1',
  'reflect-metadata@0.2.2',
]

const SECRET = 'a signing secret of some length'
const BOT =
  "const bot = createBot({ database: ':memory:', signingSecret: process.env.SECRET, logger: false })\nbot.otherwise(() => {})\n"
const PATH = '/webhooks/messages'
const SAYS = "console.log('listening on', server.address().port)"
const EXPRESS = `
  app.use('${PATH}', webhook(bot))
  app.use(express.json(), express.urlencoded({ extended: true }))
  await bot.start()
  const server = app.listen(0, '127.0.0.1', () => ${SAYS})`

const APPS: Readonly<Record<string, string>> = {
  'express-4.cjs': `const { createBot } = require('switchhook')
const { webhook } = require('switchhook/express')
const express = require('express4')
${BOT}void (async () => { const app = express()${EXPRESS}
})()`,
  'express-5.mjs': `import { createBot } from 'switchhook'
import { webhook } from 'switchhook/express'
import express from 'express'
${BOT}const app = express()${EXPRESS}`,
  'nest.cjs': `require('reflect-metadata')
const { Module } = require('@nestjs/common')
const { NestFactory } = require('@nestjs/core')
const { createBot } = require('switchhook')
const { webhook } = require('switchhook/express')
${BOT}class AppModule {}
Module({})(AppModule)
void (async () => {
  const app = await NestFactory.create(AppModule, { logger: false })
  app.use('${PATH}', webhook(bot))
  await bot.start()
  const server = await app.listen(0, '127.0.0.1')
  ${SAYS}
})()`,
  'koa.cjs': `const Koa = require('koa')
const { createBot } = require('switchhook')
const { webhook } = require('switchhook/node')
${BOT}const receive = webhook(bot)
const app = new Koa()
app.use((ctx, next) => {
  if (ctx.path !== '${PATH}') return next()
  ctx.respond = false
  receive(ctx.req, ctx.res)
})
void bot.start().then(() => { const server = app.listen(0, '127.0.0.1', () => ${SAYS}) })`,
  'hono.mjs': `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createBot } from 'switchhook'
import { webhook } from 'switchhook/fetch'
${BOT}await bot.start()
const app = new Hono()
const receive = webhook(bot)
app.all('${PATH}', (c) => receive(c.req.raw))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log('listening on', port))`,
  'fastify.mjs': `import Fastify from 'fastify'
import { createBot } from 'switchhook'
import { webhook } from 'switchhook/node'
${BOT}await bot.start()
const receive = webhook(bot)
const app = Fastify({ rewriteUrl: (request) => request.url ?? '/' })
app.register(async (mount) => {
  mount.removeAllContentTypeParsers()
  mount.addContentTypeParser('*', (_request, _payload, done) => done(null))
  mount.all('${PATH}', (request, reply) => {
    reply.hijack()
    receive(request.raw, reply.raw)
  })
})
await app.listen({ port: 0, host: '127.0.0.1' })
const { server } = app
${SAYS}`,
  'node.cjs': `const { createServer } = require('node:http')
const { createBot } = require('switchhook')
const { webhook } = require('switchhook/node')
${BOT}const receive = webhook(bot)
void bot.start().then(() => { const server = createServer((req, res) => req.url === '${PATH}' ? receive(req, res) : res.writeHead(404).end()).listen(0, '127.0.0.1', () => ${SAYS}) })`,
}

export async function tryFrameworks(tarball: string, here: string, environment: Record<string, string>): Promise<void> {
  const folder = join(here, 'frameworks')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  for (const [file, text] of Object.entries(APPS)) writeFileSync(join(folder, file), text)
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES, tarball]
  await succeeds('npm', install, folder, environment)
  for (const file of Object.keys(APPS)) {
    await using app = run('node', [file], { ...environment, SECRET }, folder)
    const [, port] = /listening on (\d+)/.exec(await app.heard('stdout', /listening on \d+/)) ?? []
    const verify = ['--no-install', 'switchhook', 'verify', `http://127.0.0.1:${port}${PATH}`, '--secret', SECRET]
    await succeeds('npx', verify, folder, environment).catch((error: unknown) => {
      throw new Error(`${file}: ${String(error)}`)
    })
  }
}
