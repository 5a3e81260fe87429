import type { EnteredRoutes } from '../../bot/work/running-attempt.ts'
import {
  answerConversation,
  changesOfFailed,
  conversationOf,
  enterFromHandler,
  isAnswer,
  type LoadedConversation,
  openQuestion,
  runOwnItem,
  tellEnd,
} from './conversations.ts'
import { enterNext } from './entry.ts'

export const runner: EnteredRoutes = {
  kinds: new Map([
    ['enter', { restsInSilence: false }],
    ['conversation_due', { restsInSilence: true }],
  ]),
  runItem: runOwnItem,
  asking: openQuestion,
  answer: answerConversation,
  isAnswer,
  enter: enterFromHandler,
  enterNext,
  concerned: conversationOf,
  tellFailed: (open: LoadedConversation, running) => tellEnd(open, 'failed', running),
  changesOfFailed,
}
