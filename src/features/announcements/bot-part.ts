import type { Log } from '../../base/log.ts'
import type { BuiltInFeature, BuiltInPart } from '../../bot/feature.ts'
import { slotOf } from '../../bot/outbox/send-options.ts'
import type { Observers } from '../../bot/report/observers.ts'
import { guarded } from '../../bot/watcher.ts'
import { Announcements, type Announces } from './announcement.ts'
import { type AnnouncementReport, AnnouncementRunner } from './announcement-runner.ts'

interface AnnouncingBot extends BuiltInPart {
  readonly announcements: Announcements
}

export const botPart: BuiltInFeature<AnnouncingBot> = {
  create({ observers, guard, ...deps }) {
    const announcing = { ...deps, report: guarded(reportAnnouncements(deps.log, observers), guard) }
    const runner = new AnnouncementRunner(announcing)
    return {
      announcements: new Announcements(announcing, runner),
      wake: () => runner.wake(),
      stop: (drainMs) => runner.stop(drainMs),
      countStates: () => deps.store.countAnnouncements(),
    }
  },
  senderMembers: (number, during): Announces => ({
    announce: async (key, recipients, content, options = {}) =>
      during(({ announcements }) => announcements.announce(number, slotOf(key), recipients, content, options)),
  }),
  gauge: { help: 'Announcements by state; needs_person: paused by an error or a restore.' },
}

const ANNOUNCEMENT = {
  running: ['info', 'an announcement has started'],
  paused: ['error', 'an announcement is paused: fix the cause, then resume it'],
  done: ['info', 'an announcement is done'],
} as const

function reportAnnouncements(log: Log, observers: Observers): AnnouncementReport {
  return {
    changed({ id, number }, state, why) {
      const [level, line] = ANNOUNCEMENT[state]
      log[level]({ announcement: id, number, why }, line)
      observers.notify('announcement', { number, reason: why === undefined ? state : `${state}: ${why}` })
    },
  }
}
