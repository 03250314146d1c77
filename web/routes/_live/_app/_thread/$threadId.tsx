import { createFileRoute } from '@tanstack/react-router'
import { hasFirstPaint } from '../../../../lib/first-paint.ts'
import { threadView } from '../../../-load-thread-view.ts'

/** A thread, rendered by the layout. The first paint stands for it until its code is loaded; after a navigation the layout does. */
export const Route = createFileRoute('/_live/_app/_thread/$threadId')({
  beforeLoad: async () => {
    const loading = threadView.load()
    if (hasFirstPaint()) await loading
    // The layout shows the failure.
    else loading.catch(() => undefined)
  },
})
