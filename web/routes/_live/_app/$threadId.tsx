import { createFileRoute } from '@tanstack/react-router'
import { ThreadView } from '../../-thread-view.tsx'

/** A thread, rendered by the layout. Its code starts loading before the layout needs it. */
export const Route = createFileRoute('/_live/_app/$threadId')({
  beforeLoad: ThreadView.prepare,
})
