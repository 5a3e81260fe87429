/** The rows that compare CPU per request: all contenders take turns in one run. */
import { checkClaims } from './claims.ts'
import { type Contender, launch } from './contenders.ts'
import { prepare } from './requests.ts'
import { ratio, rounds, type Turn } from './rounds.ts'
import type { Measured } from './table.ts'

export interface Size {
  readonly rounds: number
  readonly requests: number
}

export async function ratios(size: Size): Promise<Measured[]> {
  const [ours, plain] = [await launch('ours'), await launch('plain')]
  for (const contender of [ours, plain]) await checkClaims(contender)
  const turn = (contender: Contender): Turn => ({
    contender,
    requests: (count) => prepare(count),
    count: size.requests,
  })
  const all = await rounds({ ours: turn(ours), plain: turn(plain) }, size.rounds, console.log)
  return [{ key: 'plain', ...ratio(all, 'plain', 'ours') }]
}
