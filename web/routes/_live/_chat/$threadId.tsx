import { createFileRoute } from '@tanstack/react-router'
import { loadThreadView } from '../../-thread-view.ts'

/** A thread; drawn by the layout. Its code is on its way before the layout asks for it. */
export const Route = createFileRoute('/_live/_chat/$threadId')({
  beforeLoad: () => {
    // A failed fetch is reported where the view is rendered.
    loadThreadView().catch(() => undefined)
  },
})
