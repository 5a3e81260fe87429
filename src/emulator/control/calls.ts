import { type CallView, callView } from '../calls/view.ts'
import { type HttpRequest, refuse } from '../http/messages.ts'
import type { State } from '../state.ts'

export function showCall(state: State, _: HttpRequest, id: string): CallView {
  const call = state.calls.byId(id)
  if (call === undefined)
    throw refuse(404, 'not_found', `There is no call ${id}: the latest are kept, until a reset or the end of the run.`)
  return callView(call)
}
