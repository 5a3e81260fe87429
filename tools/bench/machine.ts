/** The machine and the versions of a run: the figures mean nothing without them. */
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { fileOf } from './contenders.ts'

export function machine(): string {
  const [processor] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  return `${processor?.model.trim()}, ${cpus().length} cores, ${memory}, ${type()} ${release()}; ${syncsPerSecond()} syncs a second of 4 KiB`
}

export function versions(): string {
  const root = resolve(import.meta.dirname, '../..')
  const raw = new Database(':memory:')
  const sqlite = String(raw.prepare('SELECT sqlite_version()').pluck().get())
  raw.close()
  const driver = `better-sqlite3 ${dependenciesIn(root)['better-sqlite3']} (SQLite ${sqlite})`
  const others = Object.entries(dependenciesIn(join(import.meta.dirname, 'peers'))).map((one) => one.join(' '))
  return `Node ${process.version}, ${driver}, ${others.join(', ')}`
}

function dependenciesIn(folder: string): Record<string, string> {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> })
    .dependencies
}

/** If it is far above the speed of any disk, the files are in memory. */
function syncsPerSecond(): number {
  const [file, count] = [openSync(fileOf('syncs'), 'w'), 500]
  const began = performance.now()
  for (let one = 0; one < count; one++) {
    writeSync(file, Buffer.alloc(4096))
    fdatasyncSync(file)
  }
  const seconds = (performance.now() - began) / 1000
  closeSync(file)
  return Math.round(count / seconds)
}
