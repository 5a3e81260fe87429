import type { ComponentChildren, JSX } from 'preact'
import type { CustomerView, Health } from '../../admin/api.ts'
import { AnnouncementPage } from './announcement.tsx'
import { Announcements, announcementProblems } from './announcements.tsx'
import { Conversations, conversationTile, openConversation } from './conversations.tsx'
import type { View } from './address.ts'

/** What a built-in feature adds to the page, besides the title of its view. */
interface FeatureOnPage {
  List(props: { filters: URLSearchParams }): JSX.Element
  Details?(props: { id: string; filters: URLSearchParams }): JSX.Element
  /** What needs a person: shown on the overview, and counted on the tab. */
  problems?(now: Health): readonly ComponentChildren[]
  /** Tiles for the overview. */
  tiles?(now: Health): ComponentChildren
  /** What is open with a customer: undefined if nothing is. */
  openWith?(customer: CustomerView): ComponentChildren
}

/** By the views of the features. */
export const FEATURES: Readonly<Partial<Record<View, FeatureOnPage>>> = {
  announcements: { List: Announcements, Details: AnnouncementPage, problems: announcementProblems },
  conversations: { List: Conversations, tiles: conversationTile, openWith: openConversation },
}

export function problemsOfFeatures(now: Health): readonly ComponentChildren[] {
  return Object.values(FEATURES).flatMap(({ problems }) => problems?.(now) ?? [])
}
