import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

it('the Kubernetes example runs the image that init writes: its port, its probe, its volume and its user', () => {
  const image = textOf('templates/auto-reply/Dockerfile')
  const pod = textOf('ops/kubernetes.yaml')
  const [, port] = /^EXPOSE (\d+)$/m.exec(image) ?? []
  const [, volume] = /^VOLUME (\S+)$/m.exec(image) ?? []
  const [, probe] = /\/127\.0\.0\.1:[^/]+(\/\w+)`/.exec(image) ?? []
  expect(pod).toContain(`containerPort: ${port}`)
  expect(pod).toContain(`mountPath: ${volume}`)
  expect([...pod.matchAll(/httpGet: { path: (\S+),/g)].map(([, path]) => path)).toEqual([probe, probe, probe])
  // The official image of Node has the user `node` under this id.
  expect(image).toContain('USER node')
  expect(pod).toContain('runAsUser: 1000')
})

it.for([
  [
    'ops/switchhook.service',
    ['SystemCallFilter=@system-service', 'LimitCORE=0', 'ProcSubset=pid', 'LimitNOFILE=65536'],
  ],
  [
    'ops/kubernetes.yaml',
    ['readOnlyRootFilesystem: true', 'seccompProfile: { type: RuntimeDefault }', 'mountPath: /tmp', 'bot@sha256:'],
  ],
] as const)('%s leaves an attacker little room', ([file, settings]) => {
  for (const setting of settings) expect(textOf(file)).toContain(setting)
})
