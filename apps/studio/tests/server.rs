//! Who is answered, and with what.

use std::net::TcpStream;

use tungstenite::client::IntoClientRequest;

use crate::common::served;

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("")
}

#[test]
fn nothing_is_served_without_the_secret() {
    let own = served();
    let host = format!("Host: {}\r\n", own.host);
    for path in ["/", "/studio.js", "/socket", "/0123456789abcdef0123456789abcdef/"] {
        let answer = own.request(path, &host);
        assert_eq!(status(&answer), "404", "{path}");
        assert!(!answer.contains("<script"), "{path}");
    }
    assert_eq!(status(&own.request(&own.path, &host)), "200");
    let script = own.request(&format!("{}studio.js", own.path), &host);
    assert!(script.contains("content-type: text/javascript"), "{}", &script[..400]);
    // The secret is long, and another one at every start.
    let other = served();
    assert!(own.path.len() >= 32 && own.path != other.path);
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let own = served();
    let host = format!("Host: {}\r\n", own.host);
    for headers in [
        "Host: evil.example\r\n".to_owned(),
        format!("{host}Origin: http://evil.example\r\n"),
        format!("{host}Origin: null\r\n"),
        format!("{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
    ] {
        assert_eq!(status(&own.request(&own.path, &headers)), "403", "{headers}");
    }
    // A socket from another page.
    for origin in [None, Some("http://evil.example")] {
        let stream = TcpStream::connect(&own.host).expect("a connection");
        let url = format!("ws://{}{}socket", own.host, own.path);
        let mut request = url.into_client_request().expect("a request");
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().expect("an origin"));
        }
        assert!(tungstenite::client(request, stream).is_err(), "{origin:?}");
    }
}

#[test]
fn every_answer_has_a_strict_policy() {
    let own = served();
    let host = format!("Host: {}\r\n", own.host);
    let page = own.request(&own.path, &host);
    let nonce = page.split("'nonce-").nth(1).and_then(|own| own.split('\'').next());
    let nonce = nonce.expect("a nonce");
    assert!(page.contains(&format!("content=\"{nonce}\"")));
    assert!(page.contains("default-src 'none'; script-src 'self'"));
    assert!(!page.contains("unsafe"));
    for path in ["/", &own.path] {
        let answer = own.request(path, &host);
        for header in ["nosniff", "no-referrer", "no-store", "frame-ancestors 'none'"] {
            assert!(answer.contains(header), "{path}: {header}");
        }
    }
}
