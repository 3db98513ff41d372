/**
 * How tests start Chromium: as root, and without the graphics card that it emulates where there is none,
 * which took nearly half of its processor time.
 */
export const chromium_args = ['--no-sandbox', '--disable-gpu']
