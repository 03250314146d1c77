import { createFileRoute } from '@tanstack/react-router'
import { hasFirstPaint } from '../../../../lib/first-paint.ts'
import { ThreadView } from '../../../-thread-view.tsx'

/** A thread, rendered by the layout. The first paint stands for it until its code is loaded; after a navigation the layout does. */
export const Route = createFileRoute('/_live/_app/_thread/$threadId')({
  beforeLoad: () => (hasFirstPaint() ? ThreadView.ready() : ThreadView.prepare()),
})
