/** The icon of a project in its colour. */
import {
  BookOpen,
  Briefcase,
  Code,
  FlaskConical,
  Folder,
  Globe,
  GraduationCap,
  Heart,
  Lightbulb,
  type LucideIcon,
  Music,
  Palette,
  Plane,
} from 'lucide-react'
import { cx } from '../lib/cx.ts'

const icons: { readonly [name: string]: LucideIcon } = {
  folder: Folder,
  book: BookOpen,
  briefcase: Briefcase,
  code: Code,
  flask: FlaskConical,
  globe: Globe,
  'graduation-cap': GraduationCap,
  heart: Heart,
  lightbulb: Lightbulb,
  music: Music,
  palette: Palette,
  plane: Plane,
}

/** OKLCH hues. The lightness differs by colour mode, so that the icon has 3:1 on every ground. */
const hues: { readonly [name: string]: number } = {
  red: 25,
  orange: 55,
  yellow: 90,
  green: 150,
  teal: 190,
  blue: 250,
  purple: 300,
  pink: 350,
}

type ProjectIconProps = {
  readonly icon?: string | null | undefined
  readonly color?: string | null | undefined
  readonly className?: string
}

export function ProjectIcon({ icon, color, className }: ProjectIconProps) {
  const Icon = icons[icon ?? ''] ?? Folder
  const hue = hues[color ?? '']
  const style = hue === undefined ? undefined : { color: `light-dark(oklch(0.52 0.15 ${hue}), oklch(0.76 0.13 ${hue}))` }
  return <Icon aria-hidden="true" className={cx('size-4 shrink-0', !style && 'text-muted-foreground', className)} style={style} />
}
