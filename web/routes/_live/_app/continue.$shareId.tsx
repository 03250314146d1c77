import { createFileRoute, notFound } from '@tanstack/react-router'
import { idSchema, newThreadIdSchema } from '../../../../worker/contract/ids.ts'
import { ContinuePage } from '../../../features/shell/share/continue-page.tsx'

export const Route = createFileRoute('/_live/_app/continue/$shareId')({
  validateSearch: ({ copy }: Record<string, unknown>): { readonly copy?: string } => {
    const id = newThreadIdSchema.safeParse(copy)
    return id.success ? { copy: id.data } : {}
  },
  beforeLoad: ({ params: { shareId } }) => {
    if (!idSchema.safeParse(shareId).success) throw notFound()
  },
  component: Continue,
})

function Continue() {
  return <ContinuePage shareId={Route.useParams().shareId} copyId={Route.useSearch().copy} />
}
