import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { createBot } from 'switchhook'
import { expect, it } from 'vitest'
import { collectMetrics } from '../../../src/features/metrics/metrics.ts'

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')

/** Names of metrics in a text; a histogram is asked for by its parts. */
function namesIn(text: string): string[] {
  const names = text.match(/(?<=\b)switchhook_[a-z_]*[a-z]\b/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))].sort()
}

const register = new Registry()
collectMetrics(createBot({ logger: false }), { register })
const registered = register
  .getMetricsAsArray()
  .map(({ name }) => name)
  .sort()

it('the page about metrics lists all existing ones, and no other', () => {
  expect(namesIn(textOf('docs/metrics.md'))).toEqual(registered)
})

it.each(['ops/prometheus/alerts.yml', 'ops/prometheus/alerts.test.yml', 'ops/grafana/switchhook.json'])(
  '%s uses existing metrics',
  (file) => {
    const asked = namesIn(textOf(file))
    expect(asked.length).toBeGreaterThan(5)
    expect(asked.filter((name) => !registered.includes(name))).toEqual([])
  },
)

it('each alert leads to its own section of the page about alerts', () => {
  const alerts = [...textOf('ops/prometheus/alerts.yml').matchAll(/alert: (\w+)$/gm)].map(([, name = '']) => name)
  const led = [...textOf('ops/prometheus/alerts.yml').matchAll(/runbook_url: (\S+)$/gm)].map(([, url]) => url)
  const headings = [...textOf('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(alerts)
  expect(led).toEqual(alerts.map((name) => `docs/alerts.md#${name.toLowerCase()}`))
})
