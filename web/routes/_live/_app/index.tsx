import { createFileRoute } from '@tanstack/react-router'

/** A new thread; drawn by the layout. */
export const Route = createFileRoute('/_live/_app/')({})
