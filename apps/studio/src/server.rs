//! The server: who may ask, and what is answered.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::bundle;
use crate::folder::{Example, Folder};
use crate::session;

/// The largest message that a page may send \[bytes\].
const LARGEST_MESSAGE: usize = 32 << 20;

/// What to serve.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A model file or a folder; the current folder if there is none.
    pub path: Option<PathBuf>,
    /// The port; any free one if there is none.
    pub port: Option<u16>,
    /// The models offered on the first visit.
    pub examples: Vec<Example>,
}

/// A server that is bound to its address and not yet serving.
#[derive(Debug)]
pub struct Studio {
    runtime: Runtime,
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    secret: String,
    address: SocketAddr,
    pub folder: Folder,
}

impl Studio {
    /// Binds the server to a port of the loopback address.
    pub fn new(options: Options) -> Result<Studio> {
        let folder = Folder::new(options.path.as_deref(), options.examples)?;
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let port = options.port.unwrap_or(0);
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, port)))
            .with_context(|| format!("cannot listen on port {port}"))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { secret: secret()?, address, folder });
        Ok(Studio { runtime, listener, shared })
    }

    /// The link to the page, with the secret.
    pub fn link(&self) -> String {
        format!("http://{}/{}/", self.shared.address, self.shared.secret)
    }

    /// Opens the page in the user's browser; it may have none.
    pub fn open_browser(&self) -> Result<()> {
        open::that_detached(self.link()).context("cannot open a browser")
    }

    /// Serves until the process ends.
    pub fn serve(self) -> Result<()> {
        let path = format!("/{}/", self.shared.secret);
        let router = Router::new()
            .route(&path, get(page))
            .route(&format!("{path}studio.js"), get(|| file("text/javascript", bundle::SCRIPT)))
            .route(&format!("{path}studio.css"), get(|| file("text/css", bundle::STYLE)))
            .route(&format!("{path}socket"), get(socket))
            .layer(from_fn_with_state(self.shared.clone(), guard))
            .with_state(self.shared);
        self.runtime.block_on(async { axum::serve(self.listener, router).await })?;
        Ok(())
    }
}

/// 128 bits from the operating system, as hexadecimal digits.
fn secret() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Refuses requests under another host name, which a page elsewhere could have pointed here, and
/// those that a page of another origin makes. A wrong secret is an unknown path.
async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if let Err(why) = admitted(request.headers(), shared.address.port()) {
        return sealed((StatusCode::FORBIDDEN, why).into_response());
    }
    sealed(next.run(request).await)
}

/// Whether a request comes from this page, or from the address line of a browser.
fn admitted(headers: &HeaderMap, port: u16) -> Result<(), &'static str> {
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let host = headers.get(header::HOST).and_then(|own| own.to_str().ok()).unwrap_or("");
    if !hosts.iter().any(|own| own == host) {
        return Err("unknown host");
    }
    let origin = headers.get(header::ORIGIN).map(|own| own.to_str().unwrap_or("?"));
    if origin.is_some_and(|origin| origin != format!("http://{host}")) {
        return Err("another origin");
    }
    let site = headers.get("sec-fetch-site").map(|own| own.to_str().unwrap_or("?"));
    match site {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) if origin.is_none() => {
            // A link on another page leads to the page, and to nothing else.
            let mode = headers.get("sec-fetch-mode").and_then(|own| own.to_str().ok());
            if mode == Some("navigate") { Ok(()) } else { Err("another origin") }
        }
        Some(_) => Err("another origin"),
    }
}

/// An answer with the headers that every answer has.
fn sealed(mut answer: Response) -> Response {
    let policy = "default-src 'none'; frame-ancestors 'none'";
    let headers = answer.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    answer
}

async fn file(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, format!("{kind}; charset=utf-8"))], text).into_response()
}

/// The page. It loads nothing from elsewhere, and no script and style but its own.
async fn page() -> Response {
    let Ok(nonce) = secret() else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, bundle::PAGE.replace("{nonce}", &nonce)).into_response()
}

/// The socket of a tab. A browser always names the origin of a socket.
async fn socket(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !headers.contains_key(header::ORIGIN) {
        return (StatusCode::FORBIDDEN, "no origin").into_response();
    }
    upgrade
        .max_message_size(LARGEST_MESSAGE)
        .max_frame_size(LARGEST_MESSAGE)
        .on_upgrade(move |socket| session::session(shared, socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in all {
            headers.insert(*name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    #[test]
    fn only_this_page_is_admitted() {
        let own = ("host", "127.0.0.1:9000");
        for (admits, all) in [
            (true, vec![own]),
            (true, vec![("host", "localhost:9000")]),
            (true, vec![own, ("origin", "http://127.0.0.1:9000")]),
            (true, vec![own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]),
            (false, vec![]),
            (false, vec![("host", "evil.example:9000")]),
            (false, vec![("host", "127.0.0.1:9001")]),
            (false, vec![own, ("origin", "http://127.0.0.1:9001")]),
            (false, vec![own, ("origin", "https://127.0.0.1:9000")]),
            (false, vec![own, ("origin", "null")]),
            (false, vec![own, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]),
            (false, vec![own, ("sec-fetch-site", "same-site"), ("sec-fetch-mode", "websocket")]),
        ] {
            assert_eq!(admitted(&headers(&all), 9000).is_ok(), admits, "{all:?}");
        }
    }
}
