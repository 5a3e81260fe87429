import type { Lease } from './lanes.ts'
import type { CustomerOfNumber } from './stored-customers.ts'

export interface NewAnnouncement {
  readonly number: string
  /** The app's own key, by which a number has one such announcement. */
  readonly name: string
  /** As JSON; undefined if a function of the app makes it for each customer. */
  readonly content: string | undefined
  readonly outsideWindow: string | undefined
  /** The most messages per hour. */
  readonly perHour: number
  /** Service time before which nothing goes out. */
  readonly dueAt: number
  /** Wall time. */
  readonly createdAt: number
}

/** `storing`: its recipients are being stored. `done`: every recipient has an end. */
export type AnnouncementState = 'storing' | 'running' | 'paused' | 'cancelled' | 'done'

/** What became of a recipient. `failed`: refused, or its outcome is not known. */
export type RecipientEnd = 'sent' | 'failed' | 'opted_out' | 'taken_over'

export interface AnnouncementRow extends Omit<NewAnnouncement, 'dueAt'> {
  readonly id: number
  readonly state: AnnouncementState
  /** Why it was paused, if no person paused it. */
  readonly reason: string | undefined
  /** Service time at which it is checked next. */
  readonly nextAt: number
  readonly total: number
  readonly sent: number
  readonly failed: number
  readonly optedOut: number
  readonly takenOver: number
  /** Wall time. */
  readonly endedAt: number | undefined
}

export interface OpenedAnnouncement {
  readonly announcement: AnnouncementRow
  /** Its content differs from what was asked for now. */
  readonly diverged: boolean
}

export interface AnnouncementPage {
  readonly announcements: readonly AnnouncementRow[]
  readonly next: number | undefined
}

export interface WorkedOn {
  readonly id: number
  /** The last recipient that was claimed; empty at the beginning. */
  readonly after: string
  /** The most recipients to claim now. */
  readonly room: number
}

export interface RecipientClaim extends Lease {
  readonly serviceNow: number
  /** The most recipients of an announcement on which nothing is under way. */
  readonly room: number
  readonly worked: readonly WorkedOn[]
  /** Announcements whose content this process can make. */
  readonly functions: readonly number[]
  /** An opt-out on another number counts too. */
  readonly anyNumber: boolean
}

export interface ClaimedRecipients {
  readonly portions: readonly { readonly announcement: AnnouncementRow; readonly customers: readonly string[] }[]
  /** Announcements that were worked on, and are not this process's any more: paused, ended or another's. */
  readonly over: readonly number[]
  /** Service time at which the next is due; undefined if none is. */
  readonly nextAt: number | undefined
  /** Nothing was claimed: this process was declared dead. */
  readonly dead?: true
}

export interface EndedRecipient extends Pick<CustomerOfNumber, 'customer'> {
  readonly end: RecipientEnd
}
