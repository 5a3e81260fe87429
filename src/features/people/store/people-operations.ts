import { concerning, type Ways } from '../../../store/database/engine.ts'
import { chatOf, customersWhoSaid, deskChanges, latestLines } from './chat.ts'
import { countTakenByPerson, resume, takeOver } from './hand-over.ts'
import { giveBack, unanswered } from './take-and-give-back.ts'
import {
  addNote,
  askForPerson,
  assign,
  dismissWait,
  listPeople,
  peopleRows,
  snoozeWait,
  waitingByPerson,
} from './queue.ts'

export const operations = { others }

function others({ reads, writesOf, write, behindIndexes }: Ways) {
  return {
    countTakenByPerson: reads(countTakenByPerson),
    takeOver: writesOf(takeOver),
    resume: writesOf(resume),
    waitingByPerson: reads(waitingByPerson),
    askForPerson: writesOf(askForPerson),
    dismissWait: writesOf(dismissWait),
    snoozeWait: writesOf(snoozeWait),
    assign: writesOf(assign),
    addNote: writesOf(addNote),
    unanswered: reads(unanswered),
    giveBack: (who: Parameters<typeof giveBack>[1], messages: readonly number[], o: Parameters<typeof giveBack>[3]) =>
      write((tx) => giveBack(tx, who, messages, o), concerning(who)),
    listPeople: behindIndexes(reads(listPeople)),
    peopleRows: behindIndexes(reads(peopleRows)),
    chatOf: behindIndexes(reads(chatOf)),
    latestLines: behindIndexes(reads(latestLines)),
    deskChanges: reads(deskChanges),
    customersWhoSaid: reads(customersWhoSaid),
  }
}
