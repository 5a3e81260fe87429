import type { ComponentChildren, JSX } from 'preact'
import type { CustomerView, Health } from '../../admin/api.ts'
import { AnnouncementPage } from './announcement.tsx'
import { Announcements, announcementProblems } from './announcements.tsx'
import { Conversations, conversationTile, openConversation } from './conversations.tsx'

export interface ViewOnPage {
  List?(props: { filters: URLSearchParams }): JSX.Element
  Details?(props: { id: string; filters: URLSearchParams }): JSX.Element
  /** The number on the tab: how many entries of the view need a person. */
  count?(now: Health): number
}

/** What a built-in feature adds to the page, besides the title of its view. */
interface FeatureOnPage extends ViewOnPage {
  /** Lines for the overview about everything that needs a person. */
  problems?(now: Health): readonly ComponentChildren[]
  /** Tiles for the overview. */
  tiles?(now: Health): ComponentChildren
  /** Shown in the customer's view if something of the feature, such as a conversation, is open with the customer. */
  openWith?(customer: CustomerView): ComponentChildren
}

export const FEATURES: Readonly<Record<'announcements' | 'conversations', FeatureOnPage>> = {
  announcements: {
    List: Announcements,
    Details: AnnouncementPage,
    count: ({ pausedByError }) => pausedByError.length,
    problems: announcementProblems,
  },
  conversations: { List: Conversations, tiles: conversationTile, openWith: openConversation },
}
