import type { ComponentChildren, JSX } from 'preact'
import type { CustomerView, Health } from '../../admin/api.ts'
import { AnnouncementPage } from './announcement.tsx'
import { Announcements, announcementProblems } from './announcements.tsx'
import { Conversations, conversationTile, openConversation } from './conversations.tsx'

export interface ViewOnPage {
  List?(props: { filters: URLSearchParams }): JSX.Element
  Details?(props: { id: string; filters: URLSearchParams }): JSX.Element
  /** The number on the tab: of what needs a person. */
  count?(now: Health): number
}

/** What a built-in feature adds to the page, besides the title of its view. */
interface FeatureOnPage extends ViewOnPage {
  /** What needs a person, for the overview. */
  problems?(now: Health): readonly ComponentChildren[]
  /** Tiles for the overview. */
  tiles?(now: Health): ComponentChildren
  /** What is open with a customer: undefined if nothing is. */
  openWith?(customer: CustomerView): ComponentChildren
}

/** By their views. */
export const FEATURES: Readonly<Record<'announcements' | 'conversations', FeatureOnPage>> = {
  announcements: {
    List: Announcements,
    Details: AnnouncementPage,
    count: ({ pausedByError }) => pausedByError.length,
    problems: announcementProblems,
  },
  conversations: { List: Conversations, tiles: conversationTile, openWith: openConversation },
}
