import { signal } from '@preact/signals'
import { ShownOnce } from '../../ui/components/copy.tsx'

interface Secret {
  /** The section that shows it. */
  readonly of: 'endpoint' | 'account'
  readonly what: string
  readonly value: string
  readonly next: string
}

const secret = signal<Secret | undefined>(undefined)

/** Shows a new secret until the user has noted it: the emulator reveals it only once. */
export function showSecret(shown: Secret): void {
  secret.value = shown
}

export function ShownSecret({ of }: Pick<Secret, 'of'>) {
  const shown = secret.value
  return shown?.of === of ? <ShownOnce {...shown} onDone={() => (secret.value = undefined)} /> : null
}
