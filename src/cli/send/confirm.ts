import { RefusedForSafety } from '../support/exit.ts'
import { environment, type Io, isInteractive } from '../support/io.ts'
import { prompt } from '../support/prompt.ts'

const NOTHING = 'nothing was sent'

/** Refuses a send to a real phone without `--live` and a listed or retyped recipient. */
export async function confirm(
  io: Io,
  to: string,
  baseUrl: string,
  { live = false }: { readonly live?: boolean },
): Promise<void> {
  const where = URL.parse(baseUrl)?.origin ?? 'the address'
  if (!live)
    throw new RefusedForSafety(
      `${where} is not this machine, so a phone would ring: say --live if that is meant, or take the emulator (\`switchhook dev\`)`,
    )
  if (isAllowed(io, to)) return
  if (!isInteractive(io))
    throw new RefusedForSafety(
      'the recipient does not stand in SWITCHHOOK_ALLOWED_RECIPIENTS, and without a terminal nobody can be asked: add it there',
    )
  const typed = await prompt(io, "A phone will ring. The recipient's digits once more: ", NOTHING)
  if (typed === undefined) throw new RefusedForSafety(`nobody confirmed it; ${NOTHING}`)
  if (typed !== to) throw new RefusedForSafety(`the digits differ from those of --to; ${NOTHING}`)
}

function isAllowed(io: Io, to: string): boolean {
  const listed = environment(io, 'SWITCHHOOK_ALLOWED_RECIPIENTS')?.split(',') ?? []
  return listed.some((one) => one.trim().replace(/^\+/, '') === to)
}
