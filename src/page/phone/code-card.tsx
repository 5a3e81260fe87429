import { copyText } from '../parts/copy.ts'
import type { ShownCode, ThreadItem } from '../wire/types.ts'

/** A one-time code: the handset shows it, and everything recorded shows that it was withheld. */
export function CodeCard({ item, code }: { item: ThreadItem; code: ShownCode }) {
  return (
    <div class="code-card">
      <p class="text" dir="auto">
        {code.text}
      </p>
      <button type="button" onClick={() => copyText(code.code, 'The code')}>
        Copy code
      </button>
      <p class="small muted">
        Recorded everywhere as <q>{item.text}</q>: the code is on this handset alone.
      </p>
    </div>
  )
}
