import type { Mutant } from './driver/mutant.ts'

/** Announcements: whom an error concerns, who got what, and finishing them. */
export default [
  {
    file: 'src/features/announcements/store/announcement-work.ts',
    from: 'row.doubtful >= MOST_DOUBTFUL || ',
    to: '',
    breaks: 'Five refusals in a row pause an announcement, and burn nobody.',
    promise: 'CAMPAIGN-1',
    killedBy: { 'test/journeys/announcements.test.ts': 'burns nobody in eight seconds of template_not_found' },
  },
  {
    file: 'src/features/announcements/store/announcements.ts',
    from: "announcement = ${id} AND state = 'refused' AND nth > ${acceptedAt}",
    to: "announcement = ${id} AND state = 'nothing' AND nth > ${acceptedAt}",
    breaks: 'Who was doubtful when an error paused it waits again.',
    killedBy: { 'test/journeys/announcements.test.ts': 'when the platform pauses its template' },
  },
  {
    file: 'src/features/announcements/announcement-runner.ts',
    from: "  'content_invalid',\n",
    to: '',
    breaks: 'One recipient whose content cannot be made fails alone.',
    killedBy: { 'test/journeys/announcements.test.ts': 'counts one of ten whose content cannot be made' },
  },
  {
    file: 'src/features/announcements/store/recipients.ts',
    from: "if (row.stored !== 'sent') return known",
    to: 'return known',
    breaks: 'What the service reports after an acceptance is in the results.',
    promise: 'CAMPAIGN-2',
    killedBy: { 'test/journeys/announcements.test.ts': 'reports what was read and what failed after an acceptance' },
  },
  {
    file: 'src/features/announcements/store/recipients.ts',
    from: "row.stored === 'refused') return state === 'failed'",
    to: "row.stored === 'refused') return state === 'waiting'",
    breaks: 'A retry sends again to those who were refused.',
    promise: 'CAMPAIGN-3',
    killedBy: { 'test/journeys/announcements.test.ts': 'sends again to those who were refused, under the same key' },
  },
  {
    file: 'src/features/announcements/store/announcements.ts',
    from: '!had.has(customer)',
    to: 'had.size >= 0 || customer',
    breaks: 'A forgotten recipient who has the message does not get it again.',
    killedBy: { 'test/store/sqlite.test.ts': 'keeps a hash of a forgotten recipient who has the message' },
  },
  {
    file: 'src/features/announcements/store/announcement-work.ts',
    from: 'isOpen(hours, zone, serviceNow)',
    to: 'isOpen(hours, zone, serviceNow) || true',
    promise: 'CAMPAIGN-4',
    killedBy: { 'test/journeys/announcements.test.ts': 'goes out between two hours of a zone, by column' },
  },
  {
    file: 'src/features/announcements/announcement.ts',
    from: 'if (content !== undefined && vars !== undefined)',
    to: 'if (content === undefined && vars !== undefined)',
    promise: 'CAMPAIGN-5',
    killedBy: { 'test/journeys/announcements.test.ts': 'finds a row without a value before anything goes out' },
  },
  {
    file: 'src/features/announcements/announcement-view.ts',
    from: "`'${text}`",
    to: 'text',
    breaks: 'No cell of an export is a formula.',
    killedBy: { 'test/features/announcements/announcement-view.test.ts': 'a cell that begins like a formula' },
  },
  {
    file: 'src/features/announcements/announcement-command.ts',
    from: '{ reasons: flags.reason, failedLater: flags.failedLater }',
    to: '{ reasons: undefined, failedLater: flags.failedLater }',
    promise: 'CAMPAIGN-6',
    killedBy: { 'test/kit/cli/announcement.test.ts': 'pauses, resumes, retries and cancels one' },
  },
] satisfies Mutant[]
