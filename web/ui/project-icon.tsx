/** The icon of a project in its colour, which `[data-hue]` defines. The first paint draws the same (`worker/page/first-paint.ts`). */
import { cx } from '../lib/cx.ts'

type ProjectIconProps = {
  readonly icon?: string | null | undefined
  readonly color?: string | null | undefined
  readonly className?: string
}

export const ProjectIcon = ({ icon, color, className }: ProjectIconProps) => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    data-hue={color ?? 'gray'}
    className={cx('size-4 shrink-0', className)}
  >
    <use href={`/icons/projects.svg#${icon ?? 'folder'}`} />
  </svg>
)
