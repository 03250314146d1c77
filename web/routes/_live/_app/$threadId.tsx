import { createFileRoute } from '@tanstack/react-router'
import { ThreadView } from '../../-thread-view.tsx'

/** A thread; drawn by the layout. Its code is on its way before the layout asks for it. */
export const Route = createFileRoute('/_live/_app/$threadId')({
  beforeLoad: ThreadView.prepare,
})
