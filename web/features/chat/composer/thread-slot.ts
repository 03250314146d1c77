/** What the open thread shows in its composer. It loads with the thread, so a new thread does not load it. */
import type { ReactNode } from 'react'
import { createStore } from '../../../lib/store.ts'

export const threadSlot = createStore<ReactNode>(null)
