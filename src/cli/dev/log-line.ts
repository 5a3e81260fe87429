const LEVELS: Readonly<Record<number, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' }

/** A line of a JSON log as a person reads it; every other line as it is. */
export function readable(line: string): string {
  if (!line.startsWith('{')) return line
  try {
    const {
      level,
      msg,
      time: _time,
      pid: _pid,
      hostname: _host,
      name: _name,
      ...about
    } = JSON.parse(line) as Record<string, unknown>
    if (typeof msg !== 'string') return line
    const details = Object.entries(about).map(([key, value]) => `${key}=${short(value)}`)
    return [LEVELS[Number(level)] ?? '', msg, ...details].filter((part) => part !== '').join('  ')
  } catch {
    return line
  }
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
