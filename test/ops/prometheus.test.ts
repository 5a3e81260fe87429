import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Bot, Sender } from '../../src/bot/bot.ts'
import { internalsOf } from '../../src/bot/bot-internals.ts'
import { collectMetrics } from '../../src/features/metrics/metrics.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { ASHA, openWorld } from '../support/world.ts'
import { openPrometheus, RULES } from './open-prometheus.ts'

const OPS = join(import.meta.dirname, '../../ops')

const isInstalled = ['prometheus', 'promtool'].every((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})
if (!isInstalled)
  process.stderr.write(
    'SKIPPED: the alert rules are not tested, since Prometheus is missing: apt-get install prometheus\n',
  )

const promtool = (given: readonly string[], input = '') =>
  execFileSync('promtool', given, { encoding: 'utf8', stdio: 'pipe', input })

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[]
}

describe.runIf(isInstalled)('Prometheus', () => {
  it('fires each alert when it should, and none for a healthy bot', () => {
    expect(promtool(['check', 'rules', RULES])).toContain('SUCCESS')
    expect(promtool(['test', 'rules', join(OPS, 'prometheus/alerts.test.yml')])).toContain('SUCCESS')
    const names = (file: string) => readFileSync(join(OPS, 'prometheus', file), 'utf8')
    const alerts = [...names('alerts.yml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
    expect(alerts.filter((alert) => !names('alerts.test.yml').includes(`alertname="${alert}"`))).toEqual([])
  })

  it('accepts every query of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(OPS, 'grafana/switchhook.json'), 'utf8')) as Dashboard
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const asAsked = (query: string) => query.replaceAll('$job', '.+').replaceAll('$__rate_interval', '1m')
    const rules = queries.map((query, number) => ({ record: `query_${number}`, expr: asAsked(query) }))
    const file = join(temporaryFolder(), 'queries.json')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(promtool(['check', 'rules', file])).toContain(`${queries.length} rules found`)
  })

  it('scrapes a bot, and reports a dead letter until a person has settled it, also after a restart', async () => {
    const metricsPort = await freePort()
    let scraped: ReturnType<typeof collectMetrics>['handler'] = (_request, response) => void response.end()
    const server = createServer((request, response) => scraped(request, response)).listen(metricsPort, '127.0.0.1')
    server.unref()
    const routes = (bot: Bot & Sender) => {
      scraped = collectMetrics(bot).handler
      bot.hears('fail', () => {
        throw new Error('always')
      })
      bot.otherwise((ctx) => ctx.reply('hello'))
    }
    await using world = await openWorld(routes, { options: { attempts: { max: 1 } } })
    await using prometheus = await openPrometheus([`127.0.0.1:${metricsPort}`])
    const value = async (query: string) => (await prometheus.query(query)).at(0)?.value[1]
    await world.emulator.customer(ASHA).says('hi')
    await world.until(async () => (await value('switchhook_send_attempts_total{outcome="accepted"}')) === '1')
    expect(await value('max by (role) (switchhook_started)')).toBe('1')
    expect(await prometheus.firing()).toEqual([])
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(promtool(['check', 'metrics'], metrics)).toBe('')
    await world.emulator.customer(ASHA).says('fail')
    await world.until(async () => (await prometheus.firing()).includes('SwitchhookDeadLetters'))
    expect(await prometheus.firing()).toEqual(['SwitchhookDeadLetters'])
    // The next process has counted nothing, and the letter still waits.
    await world.restart(routes)
    await world.until(async () => (await value('switchhook_deliveries_dead_total')) === '0')
    expect(await prometheus.firing()).toEqual(['SwitchhookDeadLetters'])
    const store = internalsOf(world.bot).desk()?.store
    await store?.discard(await store.restingSeqs({ states: ['dead'], limit: 9 }))
    await world.until(async () => (await prometheus.firing()).length === 0)
  })
})
