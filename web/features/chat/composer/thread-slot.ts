/** The part of the composer that the open thread fills. It loads with the thread, so a new thread does not load it. */
import type { ReactNode } from 'react'
import { createStore } from '../../../lib/store.ts'

export const threadSlot = createStore<ReactNode>(null)
