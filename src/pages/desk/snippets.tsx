import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { desk } from './state-of-desk.ts'
import { t } from './words.ts'

interface ReadyAnswer {
  readonly name: string
  readonly text: string
}

const MOST_SHOWN = 8

/** `/ho` finds the ready answers with `ho` in their names, then those with `ho` in their texts. */
function matchingSnippets(text: string): readonly ReadyAnswer[] {
  const [, wanted] = /^\/(\S*)$/.exec(text) ?? []
  if (wanted === undefined) return []
  const words = wanted.toLowerCase()
  const all = desk.value?.snippets ?? []
  const named = all.filter(({ name }) => name.toLowerCase().includes(words))
  const others = all.filter((one) => !named.includes(one) && one.text.toLowerCase().includes(words))
  return [...named, ...others].slice(0, MOST_SHOWN)
}

/** The ready answers that match the text, until one is chosen, or Escape hides them. */
export function useSnippets(text: string, take: (chosen: ReadyAnswer) => void) {
  const chosen = useSignal(0)
  const isHidden = useSignal(false)
  const snippets = isHidden.value ? [] : matchingSnippets(text)
  const choose = (nth = chosen.value) => {
    const found = snippets[nth]
    if (!found) return
    take(found)
    isHidden.value = true
  }
  return {
    snippets,
    chosen: chosen.value,
    choose,
    move: (step: number) => (chosen.value = (chosen.value + step + snippets.length) % snippets.length),
    hide: () => (isHidden.value = true),
    show: () => {
      isHidden.value = false
      chosen.value = 0
    },
  }
}

interface SnippetListProps {
  readonly snippets: readonly ReadyAnswer[]
  readonly chosen: number
  readonly choose: (nth: number) => void
}

export function SnippetList({ snippets, chosen, choose }: SnippetListProps) {
  useEffect(() => document.getElementById(`ready-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [chosen])
  return (
    <ul id="ready-answers" class="card lines ready" role="listbox" aria-label={t('snippets')}>
      {snippets.map(({ name, text }, nth) => (
        <li
          key={name}
          id={`ready-${nth}`}
          role="option"
          aria-selected={nth === chosen}
          // Keep the focus in the field: a click on the list would take it.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(nth)}
        >
          <b>
            /<bdi>{name}</bdi>
          </b>{' '}
          <span class="muted">
            <bdi>{text}</bdi>
          </span>
        </li>
      ))}
    </ul>
  )
}
