import { notice } from '../state/notice.ts'

/** What went wrong with something that was asked for, until it is put away. */
export function Notice() {
  return (
    <div class="notice" role="alert" hidden={notice.value === ''}>
      <p>{notice.value}</p>
      <button type="button" class="quiet" onClick={() => (notice.value = '')}>
        Dismiss
      </button>
    </div>
  )
}
