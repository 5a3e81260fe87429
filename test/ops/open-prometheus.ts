import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'

export const RULES = join(import.meta.dirname, '../../ops/prometheus/alerts.yml')

/** A server that scrapes these targets, with the project's alert rules. */
export async function openPrometheus(targets: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'switchhook-prometheus-'))
  const port = await freePort()
  const config = {
    global: { scrape_interval: '500ms', evaluation_interval: '500ms' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'bot', static_configs: [{ targets }] }],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const server = spawn(
    'prometheus',
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    return ((await answer.json()) as { data: T }).data
  }
  return {
    query: async (query: string) =>
      (await ask<Result>(`query?query=${encodeURIComponent(query)}`).catch(() => ({ result: [] }))).result,
    async firing() {
      const { alerts } = await ask<{ alerts: readonly Alert[] }>('alerts')
      return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    },
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

interface Result {
  readonly result: readonly { readonly value: readonly [number, string] }[]
}

interface Alert {
  readonly state: string
  readonly labels: { readonly alertname: string }
}
