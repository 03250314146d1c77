import { createFileRoute, notFound } from '@tanstack/react-router'
import { idSchema } from '../../../../worker/contract/ids.ts'
import { ProjectPage } from '../../../features/shell/library/project-page.tsx'

export const Route = createFileRoute('/_live/_app/project/$projectId')({
  beforeLoad: ({ params: { projectId } }) => {
    if (!idSchema.safeParse(projectId).success) throw notFound()
  },
  component: Project,
})

function Project() {
  const { projectId } = Route.useParams()
  return <ProjectPage projectId={projectId} />
}
