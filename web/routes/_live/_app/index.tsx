import { createFileRoute } from '@tanstack/react-router'

/** A new thread, rendered by the layout. */
export const Route = createFileRoute('/_live/_app/')({})
